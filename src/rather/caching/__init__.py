"""What is kept between runs: a cache of bytes by key, in the process and in the user's cache folder."""

from rather.caching.storage import Cache, user_cache

__all__ = ["Cache", "user_cache"]
