"""What the chat shows: pure functions from the use-cases' values to Discord layouts.

Each returns a view that Discord takes, whatever the papers say: at most 40 components, at most
4,000 characters of text. Nothing here asks the store or the network.
"""
