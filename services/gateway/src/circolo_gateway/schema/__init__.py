"""The GraphQL schema, code first: what frontends see, made from the contracts. No transport in it."""
