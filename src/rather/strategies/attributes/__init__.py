"""Questions about attributes: partial items as options, and the strategies that choose among them."""
