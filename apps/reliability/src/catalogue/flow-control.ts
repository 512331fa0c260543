import type { Group } from './row.ts'

export const FLOW_CONTROL: Group = {
  title: 'Flow control and memory',
  rows: [
    {
      row: 'E1',
      fault: 'A reader that stops',
      behaviour:
        '1 MiB waits for it. Beyond that a stream that can be resumed is cut, and others lose notifications, never a response. On Node.js a connection that reads nothing of what waits ends after one to two minutes. Beyond 128 MiB of unread replies a caller gets 503.',
      tests: [
        {
          file: 'packages/testing/test/support/stalled-reader.ts',
          name: 'is disconnected after using at most 8 MiB, without delaying other clients',
        },
        {
          file: 'packages/core/test/http/streams/slow-reader.test.ts',
          name: 'loses notifications if it cannot resume, but never the response',
        },
        {
          file: 'packages/testing/test/stalled-replies.system.test.ts',
          name: 'is cut off if its client reads nothing',
        },
        {
          file: 'packages/testing/test/stalled-replies.system.test.ts',
          name: 'must be read before its caller can make further calls',
        },
      ],
    },
    {
      row: 'E2',
      fault: 'Limits that count chunks or characters',
      behaviour: 'Queues count bytes of UTF-8.',
      tests: [
        { file: 'packages/core/test/http/streams/slow-reader.test.ts', name: 'counts bytes, not characters' },
      ],
    },
    {
      row: 'E3',
      fault: 'A slow peer that delays others',
      behaviour: 'Each stream has its own queue.',
      tests: [
        {
          file: 'packages/core/test/http/streams/slow-reader.test.ts',
          name: 'does not slow down other clients',
        },
        {
          file: 'packages/testing/test/support/stalled-reader.ts',
          name: 'is disconnected after using at most 8 MiB, without delaying other clients',
        },
      ],
    },
    {
      row: 'E4',
      fault: 'Thousands of idle streams',
      behaviour: 'One timer serves all streams of a mount.',
      tests: [
        {
          file: 'packages/core/test/http/sessions/session-table.test.ts',
          name: 'carries a comment every 15 s, with a single timer for all streams',
        },
        {
          file: 'packages/core/test/http/sessions/pings.test.ts',
          name: 'uses a single timer for all sessions, and sends no pings in `comment` mode',
        },
      ],
    },
    {
      row: 'E5',
      fault: 'A flood of subscriptions',
      behaviour:
        '10,000 streams on a mount, 100 of a principal or a connection, 1,024 URIs in each. One more gets an error.',
      tests: [
        {
          file: 'packages/core/test/http/streamable/subscription-stream.test.ts',
          name: 'make the server refuse further subscriptions until one has ended',
        },
        {
          file: 'apps/reliability/test/support/limits/calls.ts',
          name: 'limits.subscriptions of a connection',
        },
        {
          file: 'packages/core/test/features/session-methods.test.ts',
          name: 'accepts 1024 subscriptions, and rejects the next with an error that names the limit',
        },
      ],
    },
    {
      row: 'E6',
      fault: 'Compiled schemas that pile up',
      behaviour: 'A server prepares a schema once. The client keeps 200, by their text.',
      tests: [
        {
          file: 'packages/client/test/validation/outputs.test.ts',
          name: 'ignores a schema that %s, and reports it once',
        },
        { file: 'apps/reliability/test/support/limits/outputs.ts', name: 'schemas that a client keeps' },
        {
          file: 'packages/core/test/schema/engine.test.ts',
          name: 'the engine converts a schema only once, even if every request creates a new server',
        },
      ],
    },
    {
      row: 'E7',
      fault: 'A server that sends without end',
      behaviour:
        'The client gives up a reply or an event at 64 MiB or 400,000 brackets and commas, and drops a line at 10 MiB.',
      tests: [
        {
          file: 'packages/client/test/http/support/attacks.ts',
          name: 'an endless body',
        },
        {
          file: 'packages/client/test/stdio/faults.system.test.ts',
          name: 'buffers an endless line only up to the limit',
        },
        {
          file: 'packages/client/test/connection/flooding.test.ts',
          name: 'the client stops reading if the server sends requests but does not read the responses',
        },
      ],
    },
    {
      row: 'E8',
      fault: 'A list without an end',
      behaviour:
        'The client stops after 64 pages, 10,000 entries or 64 MiB, and at a repeated cursor. A manager keeps 64 MiB of all lists of a server.',
      tests: [
        { file: 'apps/reliability/test/support/limits/client.ts', name: 'maxPages, by default' },
        {
          file: 'packages/client/test/client/lists.test.ts',
          name: 'rejects if the server repeats a cursor',
        },
        {
          file: 'packages/client/test/client/lists.test.ts',
          name: 'limits the total size of all pages to 64 MiB by default',
        },
        {
          file: 'packages/client/test/manager/lists.test.ts',
          name: "the manager limits the total size of a server's lists",
        },
      ],
    },
    {
      row: 'E9',
      fault: 'Anonymous clients that do not read their replies',
      behaviour:
        'They may hold half of the bytes together. Beyond that, the network with the most bytes loses its oldest replies, streams and bodies, and nobody is refused.',
      tests: [
        {
          file: 'packages/core/test/http/unread-replies.test.ts',
          name: 'is distinguished from other anonymous callers by its address',
        },
        {
          file: 'packages/core/test/http/unread-replies.test.ts',
          name: 'immediately loses its oldest reply if the total exceeds the limit and no other caller uses more bytes',
        },
        {
          file: 'packages/core/test/http/unread-replies.test.ts',
          name: 'loses replies immediately if it is anonymous, but its address never receives 503: %s',
        },
        {
          file: 'packages/core/test/http/unread-replies.test.ts',
          name: 'loses the streams that it does not read',
        },
        {
          file: 'packages/core/test/http/guard/body-budget.test.ts',
          name: 'aborts the oldest bodies from anonymous callers at %s instead of refusing new bodies',
        },
        {
          file: 'apps/reliability/test/neighbours.test.ts',
          name: 'does not affect anonymous callers at other addresses: %s',
        },
      ],
    },
    {
      row: 'E10',
      fault: 'A batch whose results are large',
      behaviour:
        'Results that cannot be sent are not validated or encoded, and other clients get their turn after each large result.',
      tests: [
        {
          file: 'packages/core/test/call/batch-limits.test.ts',
          name: 'validates only as many results as fit within the limit',
        },
        {
          file: 'packages/core/test/call/batch-limits.test.ts',
          name: "handles other clients' requests between large results",
        },
        {
          file: 'packages/core/test/call/batch-limits.test.ts',
          name: 'encodes only as many results as fit within the limit',
        },
      ],
    },
    {
      row: 'E11',
      fault: 'Hundreds of resumes at once, each of which repeats a large stream',
      behaviour: 'One is answered in each turn of the event loop, so other clients wait for one at most.',
      tests: [{ file: 'packages/core/test/http/streams/resume.test.ts', name: 'do not block other clients' }],
    },
    {
      row: 'E12',
      fault: 'Arguments with more invalid parts than anyone reads',
      behaviour: 'zod 4 stops after it has described 1,000 issues.',
      tests: [
        {
          file: 'packages/core/test/schema/validate/input.test.ts',
          name: 'stops after zod has reported 1,000 issues %s',
        },
      ],
    },
    {
      row: 'E13',
      fault: 'A body in chunks that middleware of Hono has read before',
      behaviour: 'The limit of bodies holds for what the middleware has left: 413.',
      tests: [
        {
          file: 'packages/hono/test/seam.test.ts',
          name: 'is limited after middleware that uses %s, even if the body is chunked',
        },
      ],
    },
    {
      row: 'E14',
      fault: 'Progress that falls or is infinite',
      behaviour: 'The client ignores it, and counts it.',
      tests: [
        {
          file: 'packages/client/test/connection/limits.test.ts',
          name: 'are not reported if the value decreases or is infinite, but a decrease restarts the timeout',
        },
      ],
    },
  ],
}
