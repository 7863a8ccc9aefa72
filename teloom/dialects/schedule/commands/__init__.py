"""The commands of a sequence, a file per family, with what each leaves in a stage."""
