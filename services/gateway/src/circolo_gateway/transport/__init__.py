"""GraphQL over HTTP and graphql-transport-ws over any graphql-core schema. Knows nothing of games."""
