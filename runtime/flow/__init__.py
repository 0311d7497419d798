"""Plans over agents; so far the plan is kept by the planning tool."""
