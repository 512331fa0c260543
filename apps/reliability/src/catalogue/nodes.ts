import { BUS_AND_RECORDS } from './bus-and-records.ts'
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
          name: 'makes commands fail within 1 s at first, and then immediately until Redis recovers',
        },
        {
          file: 'packages/redis/test/access.system.test.ts',
          name: 'is refused with 503 after one unanswered Redis command, and accepted once Redis is back',
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
          name: 'makes 10,000 concurrent commands fail, of which at most 2,000 wait for a reply',
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
          name: 'leaves sessions and streams complete and usable',
        },
        {
          file: 'packages/redis/test/faults.system.test.ts',
          name: 'makes the bus report lost messages',
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
          name: 'ignores events that are already stored, even if the stream has ended',
        },
        {
          file: 'packages/testing/src/contracts/event-store.ts',
          name: 'reports an event as lost if an earlier event is missing',
        },
      ],
    },
    {
      row: 'H6',
      fault: 'A node dies during a stream',
      behaviour: 'Another node replays what was stored, and ends the call with an error within 7 s.',
      tests: [
        {
          file: 'apps/reliability/test/support/nodes/kills.ts',
          name: 'delivers each stored event once and in order, and ends each call',
        },
        {
          file: 'packages/core/test/http/nodes/streams.test.ts',
          name: 'ends with an error when its original node stops, and drops events that this node sends later',
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
          name: 'keeps changes that several nodes make at the same time',
        },
        {
          file: 'packages/core/test/http/nodes/sessions.test.ts',
          name: 'is merged into the stored subscriptions, even if the node has missed earlier changes',
        },
        {
          file: 'apps/reliability/test/nodes-stopped.system.test.ts',
          name: 'does not write to a stream that another node has taken over',
        },
        {
          file: 'apps/reliability/test/nodes-stopped.system.test.ts',
          name: 'GET stream that another node has taken over',
        },
        {
          file: 'packages/core/test/http/nodes/streams.test.ts',
          name: 'stays on the node that took it over last, even if an earlier node updates the record later',
        },
        {
          file: 'packages/testing/src/contracts/event-store.ts',
          name: 'fences off the former writer, and lets the new writer continue after the last position',
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
          name: 'nodes, clocks',
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
          name: 'can be answered on any node',
        },
        {
          file: 'packages/core/test/http/nodes/calls.test.ts',
          name: 'cannot be answered by another session or principal on another node',
        },
        {
          file: 'packages/core/test/http/nodes/calls.test.ts',
          name: 'ends the call, whichever node runs it',
        },
        {
          file: 'apps/reliability/test/support/nodes/crossings.ts',
          name: 'sent to the wrong node exactly once',
        },
        {
          file: 'apps/everything/test/matrix-nodes.system.test.ts',
          name: 'three processes that serve requests in rotation',
        },
        {
          file: 'packages/core/test/http/nodes/legacy-sse.test.ts',
          name: 'can be answered once, on any node',
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
          name: 'distinguishes the principal and id %j %j from %j %j',
        },
        {
          file: 'packages/testing/src/contracts/event-store.ts',
          name: 'does not return the events of one stream for another key: %j',
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
          name: 'responds with 503 within 1 s, recovers within 5 s and reports possible gaps',
        },
        {
          file: 'packages/core/test/http/nodes/streams.test.ts',
          name: 'ends if the store has lost an event, and cannot be resumed again',
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
          name: 'ends after a DELETE even while the stores are down, and is removed from the stores later',
        },
        {
          file: 'packages/core/test/http/streams/resume.test.ts',
          name: 'receives failed deletions again once it has recovered',
        },
        {
          file: 'packages/core/test/http/streams/deletions.test.ts',
          name: 'retries the other deletions even if one always fails',
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
          name: 'delivers all messages from calls to any process once and in order',
        },
        {
          file: 'apps/reliability/test/nodes-sse.system.test.ts',
          name: "ends a killed process's sessions, and refuses their messages with 404",
        },
        {
          file: 'packages/core/test/http/nodes/legacy-sse.test.ts',
          name: 'receives 503 on other nodes until it has caught up, and misses notifications beyond a limit',
        },
        {
          file: 'packages/core/test/http/nodes/legacy-sse.test.ts',
          name: 'is refused with 503 if no reply arrives within 5 s',
        },
        {
          file: 'packages/core/test/http/nodes/legacy-sse.test.ts',
          name: 'is refused with 503 if its caller already has too many bytes in transit',
        },
        {
          file: 'apps/reliability/test/nodes-messages.system.test.ts',
          name: 'receives its response even if the process that forwarded it is killed',
        },
      ],
    },
    ...BUS_AND_RECORDS,
  ],
}
