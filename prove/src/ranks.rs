//! The plans of all stages together: what they really send and receive.
