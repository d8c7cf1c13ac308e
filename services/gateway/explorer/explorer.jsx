// The page at `/`: GraphiQL against this gateway, queries over HTTP, subscriptions over graphql-transport-ws.
import { GraphiQL } from 'graphiql';
import { createClient } from 'graphql-ws';
import { getOperationAST } from 'graphql';
import { createRoot } from 'react-dom/client';
import 'graphiql/graphiql.css';

const WELCOME = `# Circolo. Sign in, put the token into the Headers pane below:
#   {"Authorization": "Bearer ..."}
# then open a room and subscribe to it. The Docs pane on the left knows everything else.

mutation SignIn {
  signInAsGuest(name: "Ada") {
    __typename
    ... on SignInDone { token expiresAt player { id name } }
    ... on Refused { code message }
  }
}

mutation OpenRoom {
  createRoom(input: {game: {briscola: {players: 2}}}) {
    __typename
    ... on RoomDone { room { id code phase seats { seat player { name } cpu } } }
    ... on Refused { code message }
  }
}

query Lobby {
  lobby(first: 10) { edges { node { code gameKind host { name } seats taken phase } } }
}

subscription LobbyLive {
  lobby { kind roomId room { code host { name } taken seats } }
}
`;

const here = new URL('/graphql', location.href);
const socketUrl = new URL(here);
socketUrl.protocol = here.protocol === 'https:' ? 'wss:' : 'ws:';

let socket = null;
let socketAuthorization;

function socketFor(authorization) {
  if (socket === null || authorization !== socketAuthorization) {
    socket?.dispose();
    socketAuthorization = authorization;
    socket = createClient({
      url: socketUrl.href,
      connectionParams: authorization ? { authorization } : {},
      shouldRetry: () => true,
    });
  }
  return socket;
}

function authorizationIn(headers) {
  const name = Object.keys(headers ?? {}).find((key) => key.toLowerCase() === 'authorization');
  return name === undefined ? undefined : headers[name];
}

function isSubscription(params, document) {
  return document != null && getOperationAST(document, params.operationName)?.operation === 'subscription';
}

async function post(params, headers) {
  const response = await fetch(here, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json, application/json', ...headers },
    body: JSON.stringify(params),
  });
  return response.json();
}

const fetcher = (params, options) =>
  isSubscription(params, options?.documentAST)
    ? socketFor(authorizationIn(options?.headers)).iterate(params)
    : post(params, options?.headers);

createRoot(document.getElementById('explorer')).render(
  <GraphiQL fetcher={fetcher} defaultQuery={WELCOME} defaultEditorToolsVisibility="headers" shouldPersistHeaders={false} />,
);
