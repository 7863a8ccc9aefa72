"""What relations mean, one file each; `meanings` finds that of a relation."""
