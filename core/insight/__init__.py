"""Inspection of a network: costs, summary, feature maps, filters, confusion matrix, mistakes."""
