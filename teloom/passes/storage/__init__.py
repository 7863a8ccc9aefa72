"""From tensor regions in logical coordinates to flat buffers: addresses, views, arguments."""
