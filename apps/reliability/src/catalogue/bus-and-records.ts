import type { Row } from './row.ts'

/** The messages between nodes, and what Redis keeps for them. */
export const BUS_AND_RECORDS: readonly Row[] = [
  {
    row: 'H14',
    fault: 'A change between the death or pause of a node and the return of its client',
    behaviour:
      'A GET stream that continues on another node reports all lists and subscribed resources as changed, also while the former node still counts as running.',
    tests: [
      {
        file: 'apps/reliability/test/nodes-messages.system.test.ts',
        name: 'reports changes made before the client resumes it on another process',
      },
      {
        file: 'packages/core/test/http/nodes/streams.test.ts',
        name: 'reports that all lists changed when it moves to another node, even if the old node is still running',
      },
    ],
  },
  {
    row: 'H15',
    fault: 'An answer or a cancellation that does not arrive',
    behaviour:
      'It is never accepted with 202: it is tried for up to 3 s, then refused with 503 and `Retry-After`. The question of a task is sent again.',
    tests: [
      {
        file: 'apps/reliability/test/nodes-messages.system.test.ts',
        name: 'is refused while the process that asked is paused, and accepted once it continues',
      },
      {
        file: 'apps/reliability/test/nodes-messages.system.test.ts',
        name: 'is accepted only once the process that asked has received it, even after Redis has hung',
      },
      {
        file: 'apps/reliability/test/nodes-messages.system.test.ts',
        name: 'is refused while Redis hangs, but still cancels the call later',
      },
      {
        file: 'packages/core/test/http/nodes/calls.test.ts',
        name: 'can be answered again if another node could not forward the answer within 3 s',
      },
      {
        file: 'packages/core/test/http/nodes/tasks.test.ts',
        name: 'receives an answer even if the first attempt to forward the answer %s',
      },
      {
        file: 'packages/core/test/http/nodes/tasks.test.ts',
        name: 'asks its question again if the answer could not be forwarded within 3 s',
      },
      {
        file: 'packages/core/test/http/nodes/tasks.test.ts',
        name: 'is aborted even if forwarding the cancellation fails once',
      },
    ],
  },
  {
    row: 'H16',
    fault: 'A former master that keeps its connections',
    behaviour: 'READONLY and MASTERDOWN replace the connections, so that all works within 5 s.',
    tests: [
      {
        file: 'packages/redis/test/faults.system.test.ts',
        name: 'is disconnected as soon as it refuses a write, even if it still serves reads',
      },
      {
        file: 'packages/redis/test/redis.test.ts',
        name: 'are sent over a new connection after the reply %s',
      },
      {
        file: 'packages/redis/test/faults.system.test.ts',
        name: 'disconnects from a former master as soon as that master refuses a write',
      },
    ],
  },
  {
    row: 'H17',
    fault: 'A clock that is set back',
    behaviour: 'Redis is used again after 1 s, and stopped nodes are noticed after 7 s.',
    tests: [
      {
        file: 'packages/redis/test/redis.test.ts',
        name: 'resume after Redis has recovered, even if the clock was set back',
      },
      {
        file: 'packages/redis/test/redis.test.ts',
        name: 'reports a stopped node as dead 7 s after joining, even if the clock was set back',
      },
    ],
  },
  {
    row: 'H18',
    fault: 'SIGTERM while Redis hangs',
    behaviour: 'The process ends. Closed stores open no connection.',
    tests: [
      {
        file: 'apps/reliability/test/nodes-messages.system.test.ts',
        name: 'makes the process exit, even though the end of its call cannot be stored in Redis',
      },
      {
        file: 'packages/redis/test/faults.system.test.ts',
        name: 'do not connect after they have been closed, until they are acquired again',
      },
    ],
  },
  {
    row: 'H19',
    fault: 'A message on the bus whose outcome is unknown',
    behaviour:
      'It is repeated, and delivered once and in order. Messages that are dropped are reported as a gap.',
    tests: [
      {
        file: 'packages/redis/test/faults.system.test.ts',
        name: 'makes the bus resend messages that Redis may have stored, yet each arrives once and in order',
      },
      {
        file: 'packages/redis/test/faults.system.test.ts',
        name: 'makes the bus drop the oldest messages beyond a limit, and report a gap on other nodes',
      },
    ],
  },
  {
    row: 'H20',
    fault: 'A wrong password, address or URL of Redis',
    behaviour:
      'A URL without a scheme is refused at the start. The log and `ready()` name the address and the reason, and no secret.',
    tests: [
      {
        file: 'packages/redis/test/redis.test.ts',
        name: 'rejects the `%s` option in %j without repeating its value',
      },
      {
        file: 'packages/redis/test/faults.system.test.ts',
        name: "report the server's address and the reason for a failure, but not the password",
      },
      {
        file: 'packages/redis/test/faults.system.test.ts',
        name: 'report ECONNREFUSED if nothing listens on the address',
      },
      {
        file: 'packages/redis/test/faults.system.test.ts',
        name: 'names the address and the reason if Redis rejects the password',
      },
    ],
  },
  {
    row: 'H21',
    fault: 'Wrong records and messages in Redis',
    behaviour:
      'A wrong record is not found: its session gets 404, also at the process where it lives, and works again when the record is right. A key of a wrong type is removed, so that its process gets messages again. A listener of the bus that throws is logged, and the others continue.',
    tests: [
      {
        file: 'packages/redis/test/hostile-redis.system.test.ts',
        name: 'is not found until it is valid again, even by the process that created the session',
      },
      { file: 'packages/redis/test/hostile-redis.system.test.ts', name: 'is not found if it is %s' },
      {
        file: 'packages/redis/test/hostile-redis.system.test.ts',
        name: 'is deleted, and the process then receives messages again: %s',
      },
      {
        file: 'packages/redis/test/hostile-redis.system.test.ts',
        name: "does not prevent the session's streams from being deleted",
      },
      {
        file: 'packages/redis/test/hostile-redis.system.test.ts',
        name: 'does not stop delivery to any listener, and its error is logged',
      },
      {
        file: 'packages/core/test/http/nodes/sessions.test.ts',
        name: 'does not crash the process if its store returns an invalid record',
      },
    ],
  },
  {
    row: 'H22',
    fault: 'A flood of anonymous sessions that fills Redis',
    behaviour:
      'All processes together keep `sessions.max` of them. The session that expires first ends, with its streams, and sessions that nobody initializes expire first.',
    tests: [
      {
        file: 'packages/redis/test/bounds.system.test.ts',
        name: 'limits anonymous sessions across all processes, and ends the session that expires first',
      },
      {
        file: 'packages/redis/test/bounds.system.test.ts',
        name: 'also deletes the streams of each session that it ends',
      },
      {
        file: 'packages/core/test/http/nodes/sessions.test.ts',
        name: 'is closed if all nodes together exceed `max` and no anonymous session has been idle for longer',
      },
    ],
  },
  {
    row: 'H23',
    fault: 'Subscriptions that grow the record of a session',
    behaviour:
      '1,024 URIs with 65,536 characters together. A change sends the new record and the hash of the former one.',
    tests: [
      {
        file: 'packages/core/test/features/session-methods.test.ts',
        name: 'accepts URIs with 65,536 characters in total, and rejects more with an error that names the limit',
      },
      {
        file: 'packages/core/test/http/streamable/subscription-stream.test.ts',
        name: 'URIs of more than 65,536 characters together',
      },
      {
        file: 'packages/redis/test/bounds.system.test.ts',
        name: 'sends only the new record',
      },
    ],
  },
  {
    row: 'H24',
    fault: 'Scripts that stop Redis while they read all tasks',
    behaviour: 'A full store of tasks takes as few commands for a task as one with few tasks.',
    tests: [
      {
        file: 'packages/redis/test/bounds.system.test.ts',
        name: 'needs about as many commands per task as a nearly empty store',
      },
    ],
  },
  {
    row: 'H25',
    fault: 'Servers with different names in one namespace',
    behaviour:
      'They do not get the notifications of each other, and do not find the sessions and tasks of each other.',
    tests: [
      { file: 'packages/redis/test/bounds.system.test.ts', name: "do not receive each other's messages" },
      {
        file: 'packages/redis/test/bounds.system.test.ts',
        name: "do not find each other's tasks, even those of the same principal",
      },
      {
        file: 'packages/core/test/http/nodes/sessions.test.ts',
        name: 'is unknown to a server with another name',
      },
      {
        file: 'packages/core/test/http/nodes/legacy-sse.test.ts',
        name: 'does not reach sessions on a server with another name',
      },
    ],
  },
  {
    row: 'H26',
    fault: 'A user of Redis with few permissions',
    behaviour: 'The permissions in the guide are sufficient for `ready()` and all stores.',
    tests: [
      {
        file: 'packages/redis/test/access.system.test.ts',
        name: 'can use ready() and all stores',
      },
    ],
  },
  {
    row: 'H27',
    fault: 'A handler that sends many events, each of which is stored',
    behaviour:
      'The events of one turn are one command, whether the handler awaits them or not. Nothing reaches the client before it is stored, and handlers wait if 64 KiB are not stored yet.',
    tests: [
      {
        file: 'apps/reliability/test/nodes-commands.system.test.ts',
        name: 'are limited to 3 for a stream of ten events sent in one turn of the event loop and %s',
      },
      {
        file: 'packages/core/test/http/streams/resume.test.ts',
        name: 'stores ten events sent in the same tick with only two appends, if the handler %s them',
      },
      {
        file: 'packages/core/test/http/streams/resume.test.ts',
        name: 'slows down a handler that awaits its notifications until they are stored, and loses none',
      },
    ],
  },
  {
    row: 'H28',
    fault: 'A GET stream that is resumed at several nodes at the same time',
    behaviour: 'It stays open at one of them. The others reply 503 with `Retry-After`, or end their stream.',
    tests: [
      {
        file: 'packages/core/test/http/nodes/streams.test.ts',
        name: 'stays open on one node if it is resumed %s at the same time',
      },
      {
        file: 'packages/core/test/http/nodes/streams.test.ts',
        name: 'ignores mail of a node that has seized it before',
      },
    ],
  },
  {
    row: 'H29',
    fault: 'A log message while its GET stream moves between running nodes',
    behaviour:
      'It is not lost, but may arrive twice: the former node passes on what it could not store, and cannot know what the new node has sent. Notices of changes may be repeated too.',
    tests: [
      {
        file: 'packages/core/test/http/nodes/streams.test.ts',
        name: 'continues on its new node even if the old node still writes events',
      },
    ],
  },
]
