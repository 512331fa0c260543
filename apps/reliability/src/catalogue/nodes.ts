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
      behaviour: 'A stream numbers its events itself, so that a store can tell a repeat.',
      lacks: NO_STORE,
    },
    {
      row: 'H6',
      fault: 'A node dies during a stream',
      behaviour: 'With sealed ids another node continues the session. Calls and streams are lost.',
      lacks: NO_STORE,
    },
    {
      row: 'H7',
      fault: 'Two nodes that own one session',
      behaviour: 'A session belongs to the process that opened or restored it.',
      lacks: NO_STORE,
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
      behaviour: 'It is not passed on. Without sealed ids the client gets 404, and the log says why.',
      lacks: 'Messages are not passed to the node that owns the session.',
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
