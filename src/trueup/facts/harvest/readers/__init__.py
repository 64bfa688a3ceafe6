"""What each framework writes into its wheel about itself."""
