"""An environment made known to editors: their own settings, merged; nothing that the hook makes needless."""
