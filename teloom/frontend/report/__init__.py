"""Reports on schedules in the user's terms: bounds, costs and memory."""
