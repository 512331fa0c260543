import type { Group } from './row.ts'

export const JSON_RPC: Group = {
  title: 'JSON-RPC',
  rows: [
    {
      row: 'B1',
      fault: 'Several calls with one id',
      behaviour: 'Each gets its own response: over HTTP on its own reply, elsewhere once for each call.',
      tests: [
        {
          file: 'packages/testing/test/support/crossing.ts',
          name: 'each produce one response, sent to the right caller',
        },
        {
          file: 'packages/core/test/duplex/connection.test.ts',
          name: 'receive separate responses even if they share an id',
        },
      ],
    },
    {
      row: 'B2',
      fault: 'The same ids from many clients',
      behaviour: 'No table of ids spans clients, so no response crosses.',
      tests: [
        {
          file: 'apps/everything/test/many-clients.system.test.ts',
          name: 'sends each response only to the client that made the request, and only once',
        },
      ],
    },
    {
      row: 'B3',
      fault: 'Ids that are null, fractions, objects, beyond 2^53, or long',
      behaviour: '-32600. An id is a safe integer or a string of at most 1,024 characters.',
      tests: [
        { file: 'packages/testing/test/hostile-messages.test.ts', name: '18446744073709551616' },
        { file: 'packages/core/test/protocol/jsonrpc.test.ts', name: 'an id of 1 MiB' },
      ],
    },
    {
      row: 'B4',
      fault: 'Abuse of batches',
      behaviour: 'Only 2025-03-26 has batches, of 1 to 100 messages. Others get one error.',
      tests: [
        { file: 'packages/testing/test/hostile-messages.test.ts', name: '101 requests' },
        { file: 'packages/testing/test/hostile-messages.test.ts', name: 'initialize' },
        {
          file: 'packages/testing/test/wire-sockets.test.ts',
          name: 'responds to a batch if the revision has batches',
        },
      ],
    },
    {
      row: 'B5',
      fault: 'Responses that nobody waits for',
      behaviour: 'They are ignored; HTTP 202.',
      tests: [
        {
          file: 'packages/testing/test/hostile-messages.test.ts',
          name: 'are ignored, and reach no handler',
        },
        {
          file: 'packages/core/test/http/streamable/stateless.test.ts',
          name: 'accepts and ignores notifications and responses',
        },
      ],
    },
    {
      row: 'B6',
      fault: 'A second `initialize`',
      behaviour: '-32600 and HTTP 400. The session does not change.',
      tests: [
        {
          file: 'packages/core/test/duplex/connection.test.ts',
          name: 'is rejected if the session is already open, and leaves the session unchanged',
        },
        {
          file: 'packages/core/test/http/sessions/session-table.test.ts',
          name: 'is not changed by a second initialize',
        },
      ],
    },
    {
      row: 'B7',
      fault: 'A call before `initialize`',
      behaviour: '-32600 and HTTP 400. No handler runs.',
      tests: [
        {
          file: 'packages/core/test/duplex/connection.test.ts',
          name: 'must precede every message except a ping',
        },
        { file: 'packages/core/test/http/refusals.test.ts', name: 'missingSession' },
      ],
    },
    {
      row: 'B8',
      fault: 'Cancelling a request that is unknown, ended or foreign',
      behaviour: 'Nothing happens. If several calls have the id, none is cancelled.',
      tests: [
        {
          file: 'packages/core/test/http/streamable/post-exchange.test.ts',
          name: 'is not affected by a cancellation with an unknown id or from another session',
        },
        {
          file: 'packages/core/test/duplex/connection.test.ts',
          name: 'is ignored if several running calls have the same id',
        },
      ],
    },
    {
      row: 'B9',
      fault: 'Cancelled work that goes on',
      behaviour: 'The signal aborts, and whatever the handler sends later is dropped.',
      tests: [
        {
          file: 'packages/core/test/call/dispatcher.test.ts',
          name: 'sends neither a response nor other messages if it was cancelled',
        },
        {
          file: 'packages/core/test/http/streamable/per-request-era.test.ts',
          name: 'aborts the handler, and drops messages that the handler sends later',
        },
      ],
    },
    {
      row: 'B10',
      fault: 'Progress that falls, or comes after the response',
      behaviour: 'It is not sent.',
      tests: [
        { file: 'packages/core/test/call/dispatcher.test.ts', name: 'must increase, even if the token is 0' },
        {
          file: 'packages/core/test/call/dispatcher.test.ts',
          name: 'sends neither progress notifications nor log messages after its response',
        },
        {
          file: 'packages/core/test/call/progress.test.ts',
          name: 'always increase, and never suppress a report that increases',
        },
      ],
    },
  ],
}
