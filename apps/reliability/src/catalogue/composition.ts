import type { Group } from './row.ts'

export const COMPOSITION: Group = {
  title: 'Servers from other servers and APIs',
  rows: [
    {
      row: 'L1',
      fault: 'A source that fails',
      behaviour:
        'It is logged, its last valid entries stay, its state is `failed`, and the server reads it again when it changes.',
      tests: [
        {
          file: 'packages/core/test/features/observe.test.ts',
          name: 'is logged, keeps its last valid list, and is still watched if it %s',
        },
        {
          file: 'packages/core/test/features/observe.test.ts',
          name: 'is failed after a failure, with its error, until the source can be read again',
        },
      ],
    },
    {
      row: 'L2',
      fault: 'A server that would contain itself',
      behaviour: '`observe` throws, also if the cycle leads through other servers and views.',
      tests: [
        {
          file: 'packages/compose/test/source-of.test.ts',
          name: 'is refused, directly and through other servers and views',
        },
      ],
    },
    {
      row: 'L3',
      fault: 'Two definitions that get the same name',
      behaviour: 'The first one keeps the name, and a log line names the other.',
      tests: [
        {
          file: 'packages/compose/test/prefix/prefix.test.ts',
          name: 'keeps the first of two equal names, and logs the second',
        },
      ],
    },
    {
      row: 'L4',
      fault: 'A call that sends an argument that `change` hides, or for which there is no value',
      behaviour: 'The call fails before the handler runs. The value always comes from the server.',
      tests: [
        {
          file: 'packages/compose/test/change/change.test.ts',
          name: 'hides arguments, whose values come from the view',
        },
        {
          file: 'packages/compose/test/change/change.test.ts',
          name: 'fails a call for which a hidden value is undefined',
        },
      ],
    },
    {
      row: 'L5',
      fault: 'An OpenAPI document with faults, cycles, 100,000 levels or 50,000 references',
      behaviour: 'An operation that cannot be called is left out, with a log line. The others become tools.',
      tests: [
        {
          file: 'packages/openapi/test/open-api.test.ts',
          name: 'leaves out an operation that cannot be called, and logs it',
        },
        {
          file: 'packages/openapi/test/document/hostile.test.ts',
          name: 'accepts schemas that are nested 100,000 deep',
        },
        {
          file: 'packages/openapi/test/document/hostile.test.ts',
          name: 'accepts a chain of 50,000 references',
        },
      ],
    },
    {
      row: 'L6',
      fault: 'Arguments that would lead a request out of the path of its API, or to another host',
      behaviour:
        'Each argument stays one part of the URL, or the call fails. Redirects stay below `baseUrl`.',
      tests: [
        {
          file: 'packages/openapi/test/request/escape.test.ts',
          name: 'never leave the base URL, whatever all arguments are',
        },
        {
          file: 'packages/openapi/test/request/escape.test.ts',
          name: 'are followed below the base URL',
        },
      ],
    },
    {
      row: 'L7',
      fault: 'An argument that would replace a credential of the API',
      behaviour: 'Credentials are never arguments, and an object in the query cannot contain them.',
      tests: [
        { file: 'packages/openapi/test/request/credentials.test.ts', name: 'is never an argument' },
        {
          file: 'packages/openapi/test/request/credentials.test.ts',
          name: 'cannot be replaced by an object in the query',
        },
      ],
    },
    {
      row: 'L8',
      fault: 'A reply of an API that is endless, huge when it is decompressed, or has an error of megabytes',
      behaviour: 'A download ends at `limits.downloadBytes`. The model reads at most 4 KB of a reason.',
      tests: [
        {
          file: 'packages/openapi/test/request/result.test.ts',
          name: 'downloadBytes ends a download',
        },
        {
          file: 'packages/openapi/test/request/result.test.ts',
          name: 'downloadBytes counts what compressed replies become',
        },
        {
          file: 'packages/openapi/test/request/result.test.ts',
          name: 'have at most 4 KB of the reason',
        },
      ],
    },
  ],
}
