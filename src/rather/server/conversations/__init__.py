"""The use cases of the service: open sessions, take answers, recommend. Every change is stored before it is shown."""

from rather.server.conversations.conversation import Conversation
from rather.server.conversations.use_cases import Conversations

__all__ = ["Conversation", "Conversations"]
