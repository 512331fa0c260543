import type { Group } from './row.ts'

export const SCHEMAS: Group = {
  title: 'Schemas, URIs, requestState, output',
  rows: [
    {
      row: 'J1',
      fault: 'A `$ref` to another document',
      behaviour: 'Nothing is fetched. A server refuses the schema; the client does not use it.',
      tests: [
        {
          file: 'packages/core/test/schema/convert/json-schema.test.ts',
          name: 'causes an error for the remote $ref %s, which is not fetched',
        },
        { file: 'packages/client/test/validation/outputs.test.ts', name: 'refers to the network' },
      ],
    },
    {
      row: 'J2',
      fault: 'Two schemas with one `$id`',
      behaviour: 'Each has its own validator.',
      tests: [
        {
          file: 'packages/core/test/schema/convert/json-schema.test.ts',
          name: 'is compiled separately from other schemas with the same $id',
        },
        {
          file: 'packages/client/test/validation/outputs.test.ts',
          name: 'compiles two schemas with the same $id separately',
        },
      ],
    },
    {
      row: 'J3',
      fault: 'A pattern that takes exponential time',
      behaviour:
        'The client matches the patterns of a server’s schema without backtracking. A server trusts those of its author.',
      tests: [
        {
          file: 'packages/client/test/validation/outputs.test.ts',
          name: 'matches the pattern %s against any value at low cost',
        },
        {
          file: 'packages/client/test/validation/outputs.test.ts',
          name: 'accepts valid values with the ambiguous pattern %s',
        },
      ],
    },
    {
      row: 'J4',
      fault: 'A small schema with a huge cost',
      behaviour:
        'The client limits a server’s schema to 64 levels and 4,000 parts, and each validation to 400,000 steps.',
      tests: [
        {
          file: 'packages/client/test/validation/outputs.test.ts',
          name: 'doubles its work at each of 25 levels',
        },
        {
          file: 'packages/client/test/validation/outputs.test.ts',
          name: 'stops validating if the cost doubles with each nested level',
        },
        {
          file: 'packages/client/test/validation/outputs.test.ts',
          name: 'validates %s at low cost',
        },
      ],
    },
    {
      row: 'J5',
      fault: 'A schema that is nested too deeply',
      behaviour:
        'Only its tool is concerned: the client lists it unchecked, a server refuses to register it.',
      tests: [
        { file: 'packages/client/test/validation/outputs.test.ts', name: 'is nested 400 deep' },
        {
          file: 'packages/core/test/schema/convert/recognise.test.ts',
          name: 'rejects a schema that is nested too deeply to be converted',
        },
      ],
    },
    {
      row: 'J6',
      fault: '`uniqueItems` and lists of errors that take long',
      behaviour: 'Equal items are found in linear time, and the issues of an error are limited.',
      tests: [
        {
          file: 'packages/core/test/schema/validate/tiered.test.ts',
          name: '`uniqueItems` finds duplicates in linear time: %s',
        },
        {
          file: 'packages/core/test/schema/issues.test.ts',
          name: 'are limited in number and in length when they are formatted',
        },
        {
          file: 'packages/client/test/validation/outputs.test.ts',
          name: 'enforces uniqueItems in a list of 10,000 items',
        },
      ],
    },
    {
      row: 'J7',
      fault: 'A URI that takes exponential time to match',
      behaviour: 'Matching is linear, and a URI has at most 8,192 characters.',
      tests: [
        {
          file: 'packages/core/test/features/uri-template/properties.test.ts',
          name: 'is at most two reads per character and variable, template %#',
        },
        {
          file: 'packages/core/test/features/uri-template/match.test.ts',
          name: 'accepts up to 8192 characters in percent-encoded form',
        },
      ],
    },
    {
      row: 'J8',
      fault: 'Paths that lead out of a folder',
      behaviour:
        'No variable of a template is absolute or has dot segments, NUL or malformed escapes; it is decoded once. Links out of a folder of skills are refused.',
      tests: [
        {
          file: 'packages/core/test/features/uri-template/traversal.test.ts',
          name: 'path traversal through a template',
        },
        {
          file: 'packages/skills/test/folder/read-skills.test.ts',
          name: 'are rejected if they point to a %s outside the folder',
        },
      ],
    },
    {
      row: 'J9',
      fault: 'A changed `requestState`',
      behaviour: 'It is encrypted and authenticated. Any change gets -32602.',
      tests: [
        {
          file: 'packages/core/test/http/streamable/request-state.test.ts',
          name: 'is rejected after any modification, and the reply is always the same',
        },
        {
          file: 'packages/core/test/http/streamable/request-state.long.test.ts',
          name: 'a server refuses 100,000 tampered requestStates with identical replies',
        },
      ],
    },
    {
      row: 'J10',
      fault: 'A `requestState` for another call',
      behaviour:
        'It is bound to server, principal, method and arguments, and expires after 10 minutes. Single use is an option.',
      tests: [
        { file: 'packages/core/test/http/streamable/request-state.test.ts', name: 'cannot be used $what' },
        {
          file: 'packages/core/test/http/streamable/request-state.test.ts',
          name: 'is accepted for only one of two concurrent calls',
        },
      ],
    },
    {
      row: 'J11',
      fault: 'Refusals that tell their cause',
      behaviour: 'Every refused `requestState` gets the same bytes.',
      tests: [
        { file: 'packages/core/test/http/streamable/request-state.test.ts', name: 'cannot be used $what' },
        {
          file: 'packages/core/test/http/streamable/request-state.test.ts',
          name: 'is rejected after any modification, and the reply is always the same',
        },
      ],
    },
    {
      row: 'J12',
      fault: 'Rounds of questions without an end',
      behaviour: 'Both sides stop after 8.',
      tests: [
        {
          file: 'packages/core/test/call/input/asking.test.ts',
          name: 'stops asking after %i rounds if the question changes each time',
        },
        { file: 'packages/core/test/call/input/asking.test.ts', name: 'fails after eight rounds' },
        {
          file: 'packages/client/test/input/input-requests.test.ts',
          name: 'can require input for at most eight rounds',
        },
      ],
    },
    {
      row: 'J13',
      fault: 'Line breaks and control characters in logs',
      behaviour:
        'They are escaped, including those that change the direction of text. A message cannot look like two.',
      tests: [
        {
          file: 'packages/core/test/util/logger.test.ts',
          name: "`stderrLogger` indents an error's stack trace so that a message cannot forge a log line",
        },
        {
          file: 'packages/core/test/util/logger.test.ts',
          name: '`stderrLogger` writes all other values on a single line',
        },
        {
          file: 'packages/core/test/schema/issues.test.ts',
          name: 'escape characters that could forge or reorder a log line',
        },
      ],
    },
    {
      row: 'J14',
      fault: 'Stack traces for clients',
      behaviour: 'None in any mode. Refusals repeat nothing of the request or the cause.',
      tests: [
        {
          file: 'packages/testing/test/hostile-handlers.test.ts',
          name: 'receives one generic error if the handler throws %s ${when}',
        },
        {
          file: 'packages/core/test/http/refusals.test.ts',
          name: 'contains no reply that echoes client input',
        },
      ],
    },
  ],
}
