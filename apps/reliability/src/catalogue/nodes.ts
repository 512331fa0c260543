import type { Group } from './row.ts'

const NO_STORE = 'There is no Redis store, nor another one that nodes share.'

export const NODES: Group = {
  title: 'Redis and several nodes',
  rows: [
    {
      row: 'H1',
      fault: 'Redis is down',
      behaviour: 'Stores are in memory. One of the app that fails costs 503, or a stream its event ids.',
      lacks: NO_STORE,
    },
    {
      row: 'H2',
      fault: 'Commands that queue without a limit',
      behaviour: 'Stores are in memory and queue nothing.',
      lacks: NO_STORE,
    },
    {
      row: 'H3',
      fault: 'A store that fails, and a made-up id',
      behaviour: '503 with `Retry-After`: no session is accepted that the store has not confirmed.',
      tests: [{ file: 'packages/core/test/http/refusals.test.ts', name: 'unavailable' }],
    },
    {
      row: 'H4',
      fault: 'Redis is killed',
      behaviour: 'Stores are in memory: their content ends with the process.',
      lacks: NO_STORE,
    },
    {
      row: 'H5',
      fault: 'A write with an unknown outcome',
      behaviour:
        'A stream numbers its events itself. The store skips a repeat and reports a gap, so a write may be tried again.',
      tests: [
        {
          file: 'packages/testing/src/contracts/event-store.ts',
          name: 'skips events that are stored already, also after the last one',
        },
        { file: 'packages/testing/src/contracts/event-store.ts', name: 'reports a gap as lost' },
      ],
    },
    {
      row: 'H6',
      fault: 'A node dies during a stream',
      behaviour: 'Another node replays what was stored, and ends the call with an error within 7 s.',
      tests: [
        {
          file: 'apps/reliability/test/support/nodes/kills.ts',
          name: 'nodes that are killed: each event that was stored arrives once, in order, and each call ends',
        },
        {
          file: 'packages/core/test/http/nodes/streams.test.ts',
          name: 'ends there with an error when its node goes, and what that node sends later is dropped',
        },
      ],
    },
    {
      row: 'H7',
      fault: 'Two nodes that own one session',
      behaviour:
        'No node owns a session: records are changed by compare-and-set, and a stream has one writer.',
      tests: [
        {
          file: 'packages/core/test/http/nodes/sessions.test.ts',
          name: 'keeps what requests at different nodes change at the same time',
        },
        {
          file: 'packages/core/test/http/nodes/sessions.test.ts',
          name: 'ends a subscription that another node does not know of yet',
        },
        {
          file: 'packages/testing/src/contracts/event-store.ts',
          name: 'fences the former writer off, and continues the positions',
        },
      ],
    },
    {
      row: 'H8',
      fault: 'Clocks that differ',
      behaviour: 'Events are ordered by number, never by time.',
      lacks: NO_STORE,
    },
    {
      row: 'H9',
      fault: 'A cancellation or a response on the wrong node',
      behaviour: 'It is passed to the node that runs the call, and to no other session.',
      tests: [
        {
          file: 'packages/core/test/http/nodes/calls.test.ts',
          name: 'is answered at whichever node the response arrives',
        },
        {
          file: 'packages/core/test/http/nodes/calls.test.ts',
          name: 'is not answered by another session or principal at another node',
        },
        {
          file: 'packages/core/test/http/nodes/calls.test.ts',
          name: 'ends the call at whichever node it runs',
        },
        {
          file: 'apps/everything/test/matrix-nodes.system.test.ts',
          name: 'over three processes, each request at another one',
        },
      ],
    },
    {
      row: 'H10',
      fault: 'Separators and wildcards in keys',
      behaviour:
        'A store never takes one principal, session or stream for another, whatever their characters.',
      tests: [
        {
          file: 'packages/testing/src/contracts/session-store.ts',
          name: 'takes no principal and id for another: %j %j, %j %j',
        },
        {
          file: 'packages/testing/src/contracts/event-store.ts',
          name: 'never shows the events of one stream to %j',
        },
      ],
    },
  ],
}
