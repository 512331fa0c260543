import type { Group } from './row.ts'

export const HANDLERS: Group = {
  title: 'Handlers',
  rows: [
    {
      row: 'F1',
      fault: 'A handler throws an error',
      behaviour:
        'The client gets a general text with a reference, the log the error. Only `ToolError` and `McpError` show.',
      tests: [
        {
          file: 'packages/testing/test/hostile-handlers.test.ts',
          name: 'receives one generic error if the handler throws %s ${when}',
        },
        {
          file: 'packages/testing/test/operations.test.ts',
          name: 'passes `onError` the reference that the client received',
        },
        {
          file: 'packages/core/test/call/dispatcher.test.ts',
          name: 'has the code, message and data of an McpError, which is not logged as a failure',
        },
      ],
    },
    {
      row: 'F2',
      fault: 'It throws a string, nothing, or a hostile proxy',
      behaviour: 'The same.',
      tests: [{ file: 'packages/testing/test/hostile-handlers.test.ts', name: 'a proxy of an McpError' }],
    },
    {
      row: 'F3',
      fault: 'It returns nothing, a number, or bad content',
      behaviour:
        'Values are sent as text; nothing is an empty result. Bad content is an error with a reference.',
      tests: [
        { file: 'packages/testing/test/hostile-handlers.test.ts', name: 'nearly a result of the protocol' },
        { file: 'packages/core/test/features/tools/tools.test.ts', name: 'can be %s' },
      ],
    },
    {
      row: 'F4',
      fault: 'It returns a BigInt, a cycle, or a `toJSON` that throws',
      behaviour:
        'One error with a reference, as JSON and as a stream. The log has the path of a BigInt and of a cycle.',
      tests: [
        {
          file: 'packages/core/test/features/content/json-losses.test.ts',
          name: 'is logged with its path and a description if it is %s',
        },
        {
          file: 'packages/core/test/http/streamable/post-exchange.test.ts',
          name: 'is a tool error if the result cannot be serialised: %s',
        },
        { file: 'packages/testing/test/hostile-handlers.test.ts', name: 'content with a cycle of many ways' },
      ],
    },
    {
      row: 'F5',
      fault: 'It returns NaN, Infinity, a Date, a Map',
      behaviour:
        'They are checked as JSON has them: NaN is no number. A value that JSON would empty, such as a Map, is an error.',
      tests: [
        {
          file: 'packages/core/test/schema/validate/output.test.ts',
          name: 'rejects %s if a number is required',
        },
        {
          file: 'packages/core/test/features/content/json-losses.test.ts',
          name: 'a value that JSON cannot represent',
        },
      ],
    },
    {
      row: 'F6',
      fault: 'A value that its output schema refuses',
      behaviour: 'An error with a reference. Nothing of the value is sent.',
      tests: [
        {
          file: 'packages/core/test/features/tools/tools.test.ts',
          name: 'cannot be %s, and the error shown to the author names the tool',
        },
        {
          file: 'packages/testing/test/hostile-handlers.test.ts',
          name: 'receives one generic error if the handler has an outputSchema',
        },
      ],
    },
    {
      row: 'F7',
      fault: 'A handler that never ends',
      behaviour:
        'After 60 s without progress its signal aborts, the client gets an error, and the place is free.',
      tests: [
        {
          file: 'packages/testing/test/hostile-handlers.test.ts',
          name: 'frees its slot if the handler never settles',
        },
        {
          file: 'packages/core/test/call/dispatcher.test.ts',
          name: 'end a handler that never settles, and abort its signal',
        },
      ],
    },
    {
      row: 'F8',
      fault: 'Progress that keeps a handler alive',
      behaviour: 'It ends after 5 minutes all the same.',
      tests: [
        {
          file: 'packages/core/test/call/dispatcher.test.ts',
          name: 'are extended by progress, up to the hard maximum',
        },
      ],
    },
    {
      row: 'F9',
      fault: 'A handler that blocks the event loop',
      behaviour:
        'All calls wait for it, and no time limit can end it. Then they are answered, or refused with 503 if the app uses `@fastify/under-pressure`.',
      tests: [
        {
          file: 'apps/reliability/test/blocking-handler.long.test.ts',
          name: 'delays the responses to other calls, but does not prevent them',
        },
        {
          file: 'apps/reliability/test/blocking-handler.long.test.ts',
          name: 'makes @fastify/under-pressure refuse calls with 503',
        },
      ],
    },
    {
      row: 'F10',
      fault: 'Messages to a client that is gone',
      behaviour: 'They are dropped. Nothing throws or rejects.',
      tests: [
        {
          file: 'packages/testing/test/hostile-handlers.test.ts',
          name: 'ends even if its handler sends messages to a disconnected client',
        },
        {
          file: 'packages/core/test/http/streamable/post-exchange.test.ts',
          name: 'does not cause errors in a handler that continues to send messages',
        },
      ],
    },
    {
      row: 'F11',
      fault: 'A disconnect during a call',
      behaviour:
        'In a session the call goes on, and its response can be fetched. At 2026-07-28 it is cancelled.',
      tests: [
        { file: 'packages/testing/test/listening.test.ts', name: 'does not cancel a call in its session' },
        { file: 'packages/testing/test/listening.test.ts', name: 'cancels a stateless request' },
        {
          file: 'packages/core/test/http/streams/resume.test.ts',
          name: 'receives the response if the call has ended',
        },
      ],
    },
    {
      row: 'F12',
      fault: 'State that users share by mistake',
      behaviour:
        'Each call has its own context. One that is used after its call sends nothing, which is logged once.',
      tests: [
        {
          file: 'packages/core/test/call/unsent.test.ts',
          name: 'is logged once per call if %s is called after the handler has returned',
        },
        {
          file: 'apps/everything/test/many-clients.system.test.ts',
          name: 'sends each response only to the client that made the request, and only once',
        },
        {
          file: 'packages/core/test/call/dispatcher.test.ts',
          name: 'sends neither progress notifications nor log messages after its response',
        },
      ],
    },
  ],
}
