"""The door of the house: GraphQL over HTTP and WebSocket, tokens, limits and the fan-out of views. Nothing durable."""
