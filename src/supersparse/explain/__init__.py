"""Why a card decides as it does: reasons, the smallest changes that flip it, its decision tree."""
