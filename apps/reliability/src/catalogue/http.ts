import type { Group } from './row.ts'

export const HTTP: Group = {
  title: 'HTTP',
  rows: [
    {
      row: 'C1',
      fault: 'DNS rebinding',
      behaviour: 'On a loopback socket, 403 to every Host that is not a loopback name, before any handler.',
      tests: [
        {
          file: 'packages/core/test/http/sockets.test.ts',
          name: 'are refused before any handler runs if a page sends them after DNS rebinding',
        },
        { file: 'packages/core/test/http/guard/hosts.test.ts', name: 'checks Host and Origin independently' },
        {
          file: 'packages/core/test/http/legacy-sse/sse-transport.test.ts',
          name: 'check the Host and Origin headers, and are named in the `reject` event',
        },
      ],
    },
    {
      row: 'C2',
      fault: 'Origins that resemble an allowed one',
      behaviour: '403. An Origin is parsed and compared whole.',
      tests: [
        {
          file: 'packages/core/test/http/guard/hosts.test.ts',
          name: 'refuses %j if there is no list of allowed origins',
        },
        {
          file: 'packages/core/test/http/guard/hosts.test.ts',
          name: 'accepts only exact matches if there is a list of allowed origins',
        },
      ],
    },
    {
      row: 'C3',
      fault: 'A cross-site POST as `text/plain` or as a form',
      behaviour: '415 on the MCP path, 400 on `/message`.',
      tests: [
        {
          file: 'packages/core/test/http/sockets.test.ts',
          name: 'are refused if their content type needs no cross-site preflight',
        },
        { file: 'packages/core/test/http/refusals.test.ts', name: 'unsupportedMessageType' },
      ],
    },
    {
      row: 'C4',
      fault: 'A confusing Content-Type',
      behaviour: 'Tabs, repeated parameters and charsets other than UTF-8 get 415.',
      tests: [
        {
          file: 'packages/core/test/http/guard/media-types.test.ts',
          name: 'application/json\\t; charset=utf-8',
        },
      ],
    },
    {
      row: 'C5',
      fault: 'CORS for every site',
      behaviour: 'Jetway sends no CORS headers: they are the app’s. It refuses other origins by itself.',
      tests: [
        {
          file: 'packages/core/test/http/adapter/fetch.test.ts',
          name: 'refuses unsupported methods, and replies to preflights without CORS headers',
        },
        {
          file: 'packages/fastify/test/host.test.ts',
          name: 'handles preflights, and sets headers on JSON replies and streams',
        },
      ],
    },
    {
      row: 'C6',
      fault: 'Repeated headers',
      behaviour:
        '400 if Authorization, Host, Origin, Content-Type, Last-Event-ID or an `Mcp-*` header is repeated.',
      tests: [
        { file: 'packages/core/test/http/sockets.test.ts', name: 'are refused if a header is sent twice' },
        {
          file: 'packages/testing/src/contracts/adapter/requests.ts',
          name: 'refuses repeated headers only if they must be single',
        },
      ],
    },
    {
      row: 'C7',
      fault: 'A bad `Mcp-Session-Id`',
      behaviour: '400 if it is missing or not 1 to 1,024 visible ASCII characters, 404 if it is unknown.',
      tests: [
        { file: 'packages/core/test/http/refusals.test.ts', name: 'malformedSessionId' },
        { file: 'packages/core/test/http/refusals.test.ts', name: 'unknownSession' },
      ],
    },
    {
      row: 'C8',
      fault: 'Headers that differ from the body',
      behaviour: '400 and -32020. No handler runs.',
      tests: [
        {
          file: 'packages/core/test/http/guard/routing-headers.test.ts',
          name: 'refuses %s before the tool runs',
        },
        { file: 'packages/testing/test/modern-headers.test.ts', name: 'cause status 400 and error -32020' },
      ],
    },
    {
      row: 'C9',
      fault: 'Abuse of Base64 in headers',
      behaviour: 'Only strict Base64 of UTF-8 is decoded. Everything else is text.',
      tests: [
        { file: 'packages/core/test/protocol/header-text.test.ts', name: 'bits that no encoder sets' },
        {
          file: 'packages/core/test/protocol/header-text.test.ts',
          name: 'returns text unchanged if it only resembles encoded text: %j',
        },
      ],
    },
    {
      row: 'C10',
      fault: 'A server that injects headers by `x-mcp-header`',
      behaviour:
        'The client leaves such a tool out of its lists. It encodes values, and sends no unsafe integer.',
      tests: [
        {
          file: 'packages/client/test/dialect/subscriptions.test.ts',
          name: 'a header name with a line break',
        },
        {
          file: 'packages/client/test/dialect/subscriptions.test.ts',
          name: 'copies parameters with `x-mcp-header` into headers, encoded if necessary',
        },
      ],
    },
    {
      row: 'C11',
      fault: 'Headers that arrive slowly',
      behaviour:
        'Headers belong to the HTTP server: a mount does not see them. Our apps and the servers of the guides give them 10 s, and look every 5 s, since Node.js looks every 30 s by default. The Fastify plugin logs once if they have the default of Node.js, 60 s.',
      tests: [
        {
          file: 'apps/reliability/test/slow-sockets.long.test.ts',
          name: 'slow sockets on %s in time',
        },
        {
          file: 'packages/fastify/test/header-limits.test.ts',
          name: 'if the app limits neither headers nor requests, the plugin logs the options for both once',
        },
        {
          file: 'apps/examples/test/header-limits.test.ts',
          name: 'the header timeout is 10 s and is checked every 5 s',
        },
      ],
    },
    {
      row: 'C12',
      fault: 'A body that arrives slowly',
      behaviour:
        '408 after `limits.bodyTimeoutMs` (30 s), and 503 beyond 32 times `limits.bodyBytes` for all bodies of one caller that a mount reads. Both end the connection. The rest of a body that is refused has the same time.',
      tests: [
        { file: 'packages/testing/test/slow-bodies.test.ts', name: 'are refused with 408 after the timeout' },
        {
          file: 'packages/testing/test/slow-bodies.test.ts',
          name: 'have the same timeout after a 413 reply',
        },
        {
          file: 'packages/testing/test/slow-bodies.test.ts',
          name: 'are refused with 503 if together they are larger',
        },
      ],
    },
    {
      row: 'C13',
      fault: 'Request smuggling, huge headers',
      behaviour:
        '400 to two lengths, 431 to a large head. The body of a refused request is never the next request.',
      tests: [
        { file: 'apps/runner/test/http-server.test.ts', name: 'a length and chunks' },
        {
          file: 'packages/testing/src/contracts/adapter/requests.ts',
          name: 'never reads the body of a refused request as the next request',
        },
      ],
    },
    {
      row: 'C14',
      fault: 'Line breaks in the fields of events',
      behaviour: 'Ids and names with CR, LF or NUL throw. Data stays one event.',
      tests: [
        {
          file: 'packages/core/test/http/streams/sse-format.test.ts',
          name: 'throws for an id or a name that could forge an event',
        },
        {
          file: 'packages/core/test/http/streams/sse-format.test.ts',
          name: 'formats any data as a single event',
        },
      ],
    },
    {
      row: 'C15',
      fault: 'Proxies that cut quiet streams, or buffer them',
      behaviour: 'A comment every 15 s, and the headers that turn buffering off.',
      tests: [
        {
          file: 'packages/core/test/http/sessions/session-table.test.ts',
          name: 'carries a comment every 15 s, with a single timer for all streams',
        },
        {
          file: 'packages/core/test/http/sessions/session-table.test.ts',
          name: 'has headers that prevent proxies from buffering it',
        },
        {
          file: 'apps/everything/test/support/silence-cases.ts',
          name: 'a silent call and a silent stream stay open with keep-alive',
        },
      ],
    },
    {
      row: 'C16',
      fault: 'A connection that closes as a proxy reuses it',
      behaviour: 'The time is the HTTP server’s. Our apps and guides keep idle connections for 72 s.',
      tests: [
        {
          file: 'apps/runner/test/http-server.test.ts',
          name: 'keeps idle connections open longer than most load balancers do',
        },
      ],
    },
    {
      row: 'C17',
      fault: 'A wrong method',
      behaviour: '405 with `Allow`. Without sessions, GET and DELETE are wrong too.',
      tests: [
        { file: 'packages/core/test/http/refusals.test.ts', name: 'wrongMethod' },
        { file: 'packages/core/test/http/refusals.test.ts', name: 'defines the allowed methods' },
      ],
    },
    {
      row: 'C18',
      fault: 'A flood of requests',
      behaviour:
        'A session runs 64 calls and holds 256. One more gets 503 or -32603, or stdio is not read on. Rates are the app’s.',
      tests: [
        {
          file: 'packages/testing/test/streamable-sessions.test.ts',
          name: 'limits concurrent calls, but not pings',
        },
        {
          file: 'packages/core/test/duplex/eras.test.ts',
          name: 'are queued above the running limit, and pause reading at the in-flight limit',
        },
        {
          file: 'packages/core/test/http/streamable/stateless.test.ts',
          name: "limits each principal's calls separately",
        },
      ],
    },
    {
      row: 'C19',
      fault: 'A function of the app that throws, rejects or returns a header that cannot be sent',
      behaviour:
        'The request gets 500 on every mount, the error is logged, and the process goes on: `authenticate`, `challengeFor`, documents, `authInfo`, `locals` and selectors.',
      tests: [
        {
          file: 'packages/testing/src/contracts/adapter/replies.ts',
          name: 'answers 500 as JSON-RPC if a mount option throws, rejects or returns a header that cannot be sent',
        },
        {
          file: 'packages/testing/test/throwing-callbacks.test.ts',
          name: 'responds with 500, logs the error and keeps running if $name',
        },
        {
          file: 'packages/node/test/pauses.test.ts',
          name: 'responds with 500 if other code throws while the headers are being sent',
        },
      ],
    },
  ],
}
