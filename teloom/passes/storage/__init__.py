"""From regions of tensors to flat buffers: addresses, views, arguments."""
