"""From text to IR: files, the parser, and where in the text a mistake is."""
