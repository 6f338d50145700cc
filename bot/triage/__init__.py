"""The use-cases, free of Discord: what people do with papers.

library   papers by number or name, and the index kept level with the store
ingest    listings into the library          listings  what people hand in from the chat
search    searching, paging, similar papers  tagging   tags and their corrections
voting    votes and the reading queue        cards     a paper's card and its story
digests   what a digest holds                posting   posting it once
schedule  when it is due                     shelf     exports and numbers
following tags, indexes beside a reading     workshop  a second process for that, with its bench
merging   one paper of two, and back         upkeep    checks, backups
services  all of them together, as the chat and the command line take them
"""
