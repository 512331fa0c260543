import type { Group } from './row.ts'

export const SESSIONS: Group = {
  title: 'Sessions and resuming',
  rows: [
    {
      row: 'D1',
      fault: 'Predictable session ids',
      behaviour: 'Ids have 192 random bits of the platform’s generator.',
      tests: [
        {
          file: 'packages/core/test/http/sessions/session-table.test.ts',
          name: 'has a unique id with 192 random bits in visible ASCII',
        },
        {
          file: 'packages/core/test/util/random.test.ts',
          name: 'request large blocks of random bytes from the platform',
        },
      ],
    },
    {
      row: 'D2',
      fault: 'A session id in foreign hands',
      behaviour: 'To another principal the session is unknown: the same 404, byte for byte.',
      tests: [
        {
          file: 'packages/core/test/http/sessions/session-table.test.ts',
          name: 'are unknown to other principals, for every HTTP method',
        },
        {
          file: 'packages/core/test/http/legacy-sse/sse-transport.test.ts',
          name: 'is unknown to other principals',
        },
      ],
    },
    {
      row: 'D3',
      fault: 'A session id that the client has chosen',
      behaviour: '`initialize` ignores it and creates another id.',
      tests: [
        {
          file: 'packages/core/test/http/sessions/session-table.test.ts',
          name: 'ignores an id chosen by the client',
        },
      ],
    },
    {
      row: 'D4',
      fault: 'A second GET takes the stream',
      behaviour: 'Only the same principal can. The first stream then ends.',
      tests: [
        {
          file: 'packages/core/test/http/sessions/session-table.test.ts',
          name: 'is replaced by a second GET from the same principal',
        },
        {
          file: 'packages/core/test/http/sessions/session-table.test.ts',
          name: 'is not replaced by a GET from another principal',
        },
      ],
    },
    {
      row: 'D5',
      fault: 'Events of another session',
      behaviour: 'Events are kept by principal, session and stream, so one store may serve all sessions.',
      tests: [
        {
          file: 'packages/testing/test/support/crossing.ts',
          name: 'keeps the data of ${sessions} sessions separate',
        },
        {
          file: 'packages/core/test/http/streams/resume.test.ts',
          name: 'is refused if it belongs to another session, even with the same principal and store',
        },
      ],
    },
    {
      row: 'D6',
      fault: 'Events of another stream',
      behaviour: 'An id names one stream, and only its events are sent again.',
      tests: [
        {
          file: 'packages/testing/src/contracts/event-store.ts',
          name: 'does not return the events of one stream for another key: %j',
        },
        { file: 'packages/testing/test/support/cuts.ts', name: 'arrive in full at a client that resumes' },
      ],
    },
    {
      row: 'D7',
      fault: 'A forged `Last-Event-ID`',
      behaviour: '400, with the same bytes whatever is wrong with it.',
      tests: [
        {
          file: 'packages/core/test/http/streams/resume.test.ts',
          name: 'causes the same reply, regardless of why it is unknown',
        },
        {
          file: 'packages/testing/test/resuming.test.ts',
          name: 'sends an identical reply for every unknown event id',
        },
      ],
    },
    {
      row: 'D8',
      fault: 'Events that are lost or change places',
      behaviour: 'Each stream numbers its events. A client that resumes gets the rest once and in order.',
      tests: [
        { file: 'packages/testing/test/support/cuts.ts', name: 'arrive in full at a client that resumes' },
        {
          file: 'packages/core/test/http/streams/resume.test.ts',
          name: 'receives everything exactly once, however often the connection is cut',
        },
      ],
    },
    {
      row: 'D9',
      fault: 'An event that is no longer kept',
      behaviour: '400, as for an unknown id. The client fails the call.',
      tests: [
        {
          file: 'packages/core/test/http/streams/resume.test.ts',
          name: 'causes the same reply, regardless of why it is unknown',
        },
        {
          file: 'packages/client/test/http/faults.test.ts',
          name: 'fails if the server has forgotten the stream',
        },
      ],
    },
    {
      row: 'D10',
      fault: 'New events while old ones are sent again',
      behaviour: 'The stream hands over without a gap, with slow stores too.',
      tests: [
        {
          file: 'packages/core/test/http/streams/resume.test.ts',
          name: 'receives everything exactly once, however often the connection is cut',
        },
        {
          file: 'packages/testing/test/support/cuts.ts',
          name: 'arrive in full even if the store is slow',
        },
      ],
    },
    {
      row: 'D11',
      fault: 'Abandoned sessions',
      behaviour: 'They end after 30 idle minutes, or after 60 s without `notifications/initialized`.',
      tests: [
        {
          file: 'packages/core/test/http/sessions/session-table.test.ts',
          name: 'happens after 30 idle minutes, or after 60 s if the session is uninitialized',
        },
        {
          file: 'packages/core/test/http/support/churn.ts',
          name: 'frees deleted and abandoned sessions, and keeps an idle session below 2 KB',
        },
      ],
    },
    {
      row: 'D12',
      fault: 'An expiry that leaves streams or timers',
      behaviour: 'Every end of a session is the same: streams, calls, records, events and timers go.',
      tests: [
        {
          file: 'packages/core/test/http/support/churn.ts',
          name: 'frees deleted and abandoned sessions, and keeps an idle session below 2 KB',
        },
        {
          file: 'packages/testing/test/streamable-sessions.test.ts',
          name: 'ends its streams and calls on DELETE',
        },
      ],
    },
    {
      row: 'D13',
      fault: 'Too many sessions',
      behaviour:
        '10,000 on a mount, 100 of a principal. A new one replaces the one that is idle longest; if all are active it gets 503.',
      tests: [
        {
          file: 'packages/core/test/http/sessions/session-table.test.ts',
          name: 'closes the session that has been idle for the longest time',
        },
        {
          file: 'packages/core/test/http/sessions/session-table.test.ts',
          name: 'keeps active sessions and refuses new ones with 503 and Retry-After, with %s',
        },
        {
          file: 'packages/core/test/http/sessions/session-table.test.ts',
          name: 'is complemented by `maxPerPrincipal`, which does not apply to anonymous clients',
        },
        {
          file: 'packages/core/test/http/legacy-sse/sse-transport.test.ts',
          name: 'reserve half of the slots for principals, so that anonymous connections cannot fill all slots',
        },
      ],
    },
    {
      row: 'D14',
      fault: 'An expiry in the middle of work',
      behaviour:
        'A session with a running call or an open stream is not idle, with and without an event store.',
      tests: [
        {
          file: 'packages/core/test/http/sessions/session-table.test.ts',
          name: 'waits until the session has no running calls or open streams, with %s',
        },
      ],
    },
    {
      row: 'D15',
      fault: 'Stored events that grow',
      behaviour:
        '1,000 events, 1 MiB and 10 minutes for each stream, 256 MiB in all: the principal that holds most loses first.',
      tests: [
        {
          file: 'packages/testing/src/contracts/event-store.ts',
          name: 'keeps at most maxEvents events, and tells readers about lost events',
        },
        {
          file: 'packages/testing/src/contracts/event-store.ts',
          name: 'keeps events of at most maxBytes in total, counted in UTF-8',
        },
        {
          file: 'packages/core/test/stores/memory-event-store.test.ts',
          name: 'drops the ended streams of the session with the most bytes first if `maxTotalBytes` is exceeded',
        },
      ],
    },
    {
      row: 'D16',
      fault: 'A storm of reconnects',
      behaviour: 'The client waits longer after each connection that brought nothing: at most 10 a minute.',
      tests: [
        {
          file: 'packages/client/test/http/reconnecting.test.ts',
          name: "a session's stream reconnects at most 10 times a minute to a server that %s",
        },
        {
          file: 'packages/client/test/http/reconnecting.test.ts',
          name: "a call's stream is resumed at most 10 times a minute",
        },
      ],
    },
    {
      row: 'D17',
      fault: 'A session that the server has lost',
      behaviour: 'The client opens one new session and repeats the request. A second loss is an error.',
      tests: [
        {
          file: 'packages/client/test/dialect/subscriptions.test.ts',
          name: 'opens a new session, restores its state, and retries the request',
        },
        {
          file: 'packages/client/test/dialect/subscriptions.test.ts',
          name: 'rejects the request if the server immediately loses the new session too',
        },
      ],
    },
    {
      row: 'D18',
      fault: 'Streams that wait behind other responses on one connection',
      behaviour:
        'They are refused with 503 and keep no session alive, and questions of their calls are refused. A connection from which Node has not read for 4 s, because its client pipelines and does not read, is ended.',
      tests: [
        {
          file: 'packages/testing/src/contracts/adapter/connections.ts',
          name: 'refuses the stream of a session while an earlier response on its connection is unfinished',
        },
        {
          file: 'packages/testing/src/contracts/adapter/connections.ts',
          name: 'releases the streams of a connection that ends while the client does not read its replies',
        },
        {
          file: 'packages/testing/src/contracts/adapter/connections.ts',
          name: 'refuses a question of a call while an earlier response on its connection is unfinished',
        },
        {
          file: 'packages/node/test/pauses.test.ts',
          name: 'stays open while another route slowly reads a request body, even after carrying a stream',
        },
        {
          file: 'packages/node/test/pauses.test.ts',
          name: 'is closed after 4 s if the client sends pipelined calls without reading the replies',
        },
      ],
    },
  ],
}
