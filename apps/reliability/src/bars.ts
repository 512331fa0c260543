import { missingRows } from './catalogue.ts'

/** A promise about behaviour during faults. `npm run test:long` measures it. */
export interface Bar {
  /** The heading of the row. */
  readonly name: string
  /** The promise, with its figure. */
  readonly promise: string
  /** The tests that measure the promise, as paths from the root. `npm run test:long` runs all of them. */
  readonly files?: readonly string[]
  /** The part of the promise that is not measured, with the reason. It is required for a bar without files. */
  readonly lacks?: string
  /** The part that the short form omits because its tests would take too long for each run. */
  readonly short?: string
}

export const BARS: readonly Bar[] = [
  {
    name: 'Fuzz',
    promise:
      '1,000,000 lines on stdio, 1,000,000 inputs of the parser and 200,000 raw HTTP requests: no crash, no hang, no unhandled rejection, at most 32 MiB more heap.',
    files: ['apps/reliability/test/fuzz.long.test.ts'],
  },
  {
    name: 'One reply',
    promise:
      'Every request that can be read gets one reply within 2 s, whatever its handler returns or throws, on every transport, in both eras.',
    files: [
      'packages/testing/test/hostile-handlers.test.ts',
      'packages/testing/test/hostile-messages.test.ts',
      'packages/testing/test/hostile-values.test.ts',
      'apps/everything/test/ended-calls.system.test.ts',
    ],
  },
  {
    name: 'No cross-talk',
    promise: '12,000 calls with the same id, and 1,000 clients: no reply reaches another caller.',
    files: ['packages/testing/test/crossing.long.test.ts'],
  },
  {
    name: 'Isolation',
    promise:
      '100,000 random operations of 50 sessions of 3 principals on 3 nodes over one Redis: no byte of another owner.',
    files: ['apps/reliability/test/nodes-isolation.long.test.ts'],
  },
  {
    name: 'Resume',
    promise:
      '1,000 connections cut at a random byte, 100 events each: none lost, none twice, none out of order.',
    files: [
      'packages/testing/test/resume-cuts.long.test.ts',
      'packages/testing/test/client-cuts.long.test.ts',
      'apps/reliability/test/nodes-cuts.long.test.ts',
    ],
  },
  {
    name: 'Neighbours',
    promise:
      'A principal or all anonymous callers reach a limit: every other principal still calls, opens sessions, resumes, subscribes, starts tasks, and keeps their results.',
    files: ['apps/reliability/test/neighbours.test.ts'],
  },
  {
    name: 'A node is killed',
    promise:
      '200 kills: another node that has served for 7 s replays every stored event once, and calls end within 7 s.',
    files: ['apps/reliability/test/nodes-killed.long.test.ts'],
  },
  {
    name: 'The wrong node',
    promise:
      '10,000 answers and 10,000 cancellations at a node that does not run the call: each takes effect once, within 250 ms.',
    files: ['apps/reliability/test/nodes-crossings.long.test.ts'],
  },
  {
    name: 'The store fails',
    promise:
      '50 times killed, stopped, reset or slow: 503 within 1 s, healthy 5 s after its return, nothing stored is lost.',
    files: ['apps/reliability/test/store-faults.long.test.ts'],
  },
  {
    name: 'Failovers',
    promise:
      '20 failovers by Redis Sentinel, half of which lose writes: 503 within 1 s, healthy 5 s after each, and a client that may have missed an event gets 400.',
    files: ['apps/reliability/test/nodes-failovers.long.test.ts'],
  },
  {
    name: 'Ends of connections',
    promise:
      'However a connection ends, on HTTP/1.0, 1.1 and 2, and whatever is under way on it: nothing of it is held 5 s later.',
    files: ['apps/reliability/test/endings.long.test.ts'],
  },
  {
    name: 'Slow readers',
    promise:
      'At most 8 MiB for a reader that stops, 256 MiB for 100 of them, freed 5 s after they disconnect.',
    files: ['packages/testing/test/stalled-reader.long.test.ts'],
  },
  {
    name: 'Large answers, read late',
    promise:
      'Batches of 100 and 200 calls with results of 5 and 8 MB, over each transport: each is answered once, with its result or an error, the process lives, and holds no more than the replies that its clients wait for.',
    files: ['apps/reliability/test/big-many-late.long.test.ts'],
    short: 'Results have 8 MB',
  },
  {
    name: 'Open streams',
    promise:
      '9,500 open streams for 10 minutes: none dropped, at most 48 KiB each, a notice reaches all within 1.5 s.',
    files: ['apps/reliability/test/open-streams.long.test.ts'],
    short: 'They are held for 1 minute',
  },
  {
    name: 'Churn',
    promise:
      '1,000,000 sessions, half of them abandoned: heap grows by at most 8 bytes each, nothing is left.',
    files: ['packages/core/test/http/sessions/session-churn.long.test.ts'],
  },
  {
    name: 'Soak',
    promise: 'One hour of mixed load: memory grows by at most 5 MiB an hour, delays stay below 50 ms.',
    files: ['apps/reliability/test/soak.long.test.ts'],
    short: 'Two minutes, in which RSS may grow by 16 MiB,',
  },
  {
    name: 'Restarts',
    promise:
      'A process is closed or killed while questions, streams, pages, rounds, calls and tasks are open: after a restart no answer reaches another question, nothing runs twice, and every error says so.',
    files: ['apps/reliability/test/restarts.long.test.ts'],
  },
  {
    name: 'Drain',
    promise:
      'SIGTERM with 500 calls in flight: all are answered, the process ends within 10.5 s; with 1,000 idle streams within 1 s.',
    files: [
      'apps/reliability/test/drain.long.test.ts',
      'packages/core/test/http/close.test.ts',
      'apps/weather/test/shutdown.system.test.ts',
    ],
  },
  {
    name: 'The end of stdio',
    promise: '1,000 broken pipes end quietly; the end of stdin ends the process within 2 s.',
    files: ['packages/stdio/test/broken-pipe.long.test.ts'],
  },
  {
    name: 'Child processes',
    promise:
      '500 connections to wrappers, grandchildren and processes that ignore signals: none is left after 5 s.',
    files: [
      'packages/client/test/manager/processes.long.test.ts',
      'packages/client/test/stdio/stop.long.test.ts',
    ],
  },
  {
    name: 'The event loop',
    promise: 'A message within the limits holds the event loop for at most 200 ms.',
    files: [
      'apps/reliability/test/event-loop.long.test.ts',
      'apps/reliability/test/blocking-handler.long.test.ts',
    ],
  },
  {
    name: 'Slow sockets',
    promise:
      '1,000 sockets that are slow with heads, bodies or reading are closed 15 s after the limit; other requests take at most twice as long.',
    files: [
      'apps/reliability/test/slow-sockets.long.test.ts',
      'packages/testing/test/slow-bodies.test.ts',
      'packages/testing/test/stalled-replies.system.test.ts',
    ],
  },
  {
    name: 'Silent streams',
    promise: 'A proxy that cuts idle connections after 20 s cuts no stream.',
    files: ['apps/everything/test/behind-nginx.long.test.ts'],
  },
  {
    name: 'Authorization',
    promise: '60 bad credentials on every verb and transport: no handler runs.',
    files: [
      'packages/auth/test/bad-tokens.test.ts',
      'packages/core/test/http/guard/bearer.test.ts',
      'packages/core/test/http/refusals.test.ts',
    ],
  },
  {
    name: 'Request state',
    promise: '100,000 changed states and 12 kinds of misuse are refused with the same bytes.',
    files: ['packages/core/test/http/streamable/request-state.long.test.ts'],
  },
  {
    name: 'Matchers',
    promise: '100,000 pairs of URI template and URI: each matches within 50 ms, and `match(expand(x))` is x.',
    files: ['packages/core/test/features/uri-template/matching.long.test.ts'],
  },
  {
    name: 'Forged requests',
    promise: '60 forms of URLs, redirects and rebinding names: the client reaches no private address.',
    files: ['packages/client/test/auth/addresses.test.ts'],
  },
  {
    name: 'Secrets',
    promise: 'A marker in errors, tokens and the environment reaches no peer and no log.',
    files: [
      'packages/testing/test/hostile-handlers.test.ts',
      'packages/testing/test/hostile-values.test.ts',
      'packages/core/test/http/guard/bearer.test.ts',
      'packages/client/test/stdio/child-process.test.ts',
    ],
  },
  {
    name: 'Conformance',
    promise: 'All scenarios of the official suite pass, for all revisions, with no exception listed.',
    files: ['apps/everything/test/conformance.long.test.ts'],
  },
  {
    name: 'Hostile servers',
    promise:
      'A server that answers any request of the client wrongly, slowly or without end: a named error within the limits, no unhandled rejection, no connection left.',
    files: ['packages/client/test/http/hostile-servers.long.test.ts'],
  },
  {
    name: 'Skewed clocks',
    promise:
      'Tokens are accepted 60 s around their times and refused at 61 s; nodes may differ by 5 minutes.',
    files: [
      'packages/core/test/http/guard/bearer.test.ts',
      'apps/reliability/test/nodes-clocks.long.test.ts',
    ],
  },
  {
    name: 'Telemetry',
    promise:
      'With spans and metrics, 100,000 calls and 1,000 servers leave no span open and at most 4 MiB more heap; 100,000 invented names give at most 40 series and 40 names of spans.',
    files: ['packages/otel/test/volume.long.test.ts'],
  },
  {
    name: 'Saves',
    promise:
      '200 saves under `jetway dev` while five clients call without pause, over stdio and HTTP: each call gets one answer, the right one. Each client is notified of each save and keeps its session.',
    files: ['packages/cli/test/dev/saves.long.test.ts'],
    short: 'There are 20 saves',
  },
  {
    name: 'The catalogue',
    promise: 'Every row of the catalogue below has a test, and no test is skipped.',
    lacks: missingRows() ?? 'Each run of the suite runs the tests of the rows.',
  },
]
