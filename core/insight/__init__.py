"""What a network does inside: costs, summary, feature maps, filters, confusion, mistakes."""
