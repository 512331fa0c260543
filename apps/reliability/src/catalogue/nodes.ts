import type { Group } from './row.ts'

export const NODES: Group = {
  title: 'Redis and several nodes',
  rows: [
    {
      row: 'H1',
      fault: 'Redis is down',
      behaviour: 'Each use of it fails within 1 s, then at once, and works again when Redis is back.',
      tests: [
        {
          file: 'packages/redis/test/faults.system.test.ts',
          name: 'causes commands to fail within 1 s, then at once, until it recovers',
        },
      ],
    },
    {
      row: 'H2',
      fault: 'Commands that queue without a limit',
      behaviour: 'At most 2,000 commands wait for Redis. Others fail at once.',
      tests: [
        { file: 'apps/reliability/test/support/limits/nodes.ts', name: 'commands that wait for Redis' },
        {
          file: 'packages/redis/test/faults.system.test.ts',
          name: 'lets at most 2,000 of 10,000 commands wait, and fails all',
        },
      ],
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
      behaviour: 'After a restart it has the data of its disk again. Lost messages are reported as a gap.',
      tests: [
        {
          file: 'packages/redis/test/faults.system.test.ts',
          name: 'keeps sessions and streams complete and usable',
        },
        {
          file: 'packages/redis/test/faults.system.test.ts',
          name: 'is reported by the bus with the lost messages',
        },
      ],
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
          name: 'killed nodes: each stored event arrives once and in order, and each call ends',
        },
        {
          file: 'packages/core/test/http/nodes/streams.test.ts',
          name: 'ends with an error when its node stops, and drops what that node sends later',
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
          name: 'keeps changes that nodes make at the same time',
        },
        {
          file: 'packages/core/test/http/nodes/sessions.test.ts',
          name: 'ends a subscription that another node does not know, and starts one that it considers active',
        },
        {
          file: 'apps/reliability/test/nodes-stopped.system.test.ts',
          name: 'does not write to a stream that another node has taken over',
        },
        {
          file: 'apps/reliability/test/nodes-stopped.system.test.ts',
          name: 'leaves a session’s GET stream to the node that has taken it over',
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
      behaviour:
        'Nodes may differ by 5 minutes: events are ordered by number, and Redis counts times to live.',
      tests: [
        {
          file: 'apps/reliability/test/support/nodes/isolation.ts',
          name: 'whose clocks differ by',
        },
      ],
    },
    {
      row: 'H9',
      fault: 'A cancellation or a response on the wrong node',
      behaviour: 'It is passed to the node that runs the call, and to no other session.',
      tests: [
        {
          file: 'packages/core/test/http/nodes/calls.test.ts',
          name: 'is answered at any node that gets the response',
        },
        {
          file: 'packages/core/test/http/nodes/calls.test.ts',
          name: 'is not answered by another session or principal at another node',
        },
        {
          file: 'packages/core/test/http/nodes/calls.test.ts',
          name: 'ends the call at whichever node runs it',
        },
        {
          file: 'apps/reliability/test/support/nodes/crossings.ts',
          name: 'at the wrong node take effect once',
        },
        {
          file: 'apps/everything/test/matrix-nodes.system.test.ts',
          name: 'over three processes, with each request at another one',
        },
        {
          file: 'packages/core/test/http/nodes/legacy-sse.test.ts',
          name: 'is answered once, at any node that gets the response',
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
    {
      row: 'H11',
      fault: 'A failover that loses writes',
      behaviour:
        'A stream that lacks an event ends, and a client that resumes it gets 400. A session that is lost gets 404.',
      tests: [
        {
          file: 'apps/reliability/test/support/nodes/failovers.ts',
          name: 'failovers: 503 within 1 s, recovery within 5 s, and each client that may have missed an event is told',
        },
        {
          file: 'packages/core/test/http/nodes/streams.test.ts',
          name: 'ends and becomes unknown if the store has lost an event',
        },
      ],
    },
    {
      row: 'H12',
      fault: 'A deletion that the store does not get',
      behaviour: 'The deletion is repeated until the store is back.',
      tests: [
        {
          file: 'packages/core/test/http/nodes/sessions.test.ts',
          name: 'ends with DELETE while the stores are down, which forget it later',
        },
        {
          file: 'packages/core/test/http/streams/resume.test.ts',
          name: 'gets a failed deletion again when it works',
        },
      ],
    },
    {
      row: 'H13',
      fault: 'A message of HTTP+SSE on a node without its stream, and the death of the node with it',
      behaviour:
        'It is passed to the node of the stream, and answered on the stream once. A message that may not have arrived gets 503. The session ends with the node of its stream: other nodes reply 404.',
      tests: [
        {
          file: 'apps/reliability/test/nodes-sse.system.test.ts',
          name: 'delivers all messages of calls at any process once, in order',
        },
        {
          file: 'apps/reliability/test/nodes-sse.system.test.ts',
          name: 'ends the sessions of a killed process, and refuses their messages with 404',
        },
        {
          file: 'packages/core/test/http/nodes/legacy-sse.test.ts',
          name: 'gets 503 at other nodes until it has read, and loses notifications beyond a limit',
        },
        {
          file: 'packages/core/test/http/nodes/legacy-sse.test.ts',
          name: 'is refused with 503 if no reply comes within 5 s',
        },
        {
          file: 'packages/core/test/http/nodes/legacy-sse.test.ts',
          name: 'is refused with 503 if its caller has too many bytes in transit',
        },
      ],
    },
  ],
}
