import type { Group } from './row.ts'

export const FRAMING: Group = {
  title: 'Framing and parsing',
  rows: [
    {
      row: 'A1',
      fault: 'Malformed JSON',
      behaviour: 'HTTP 400 and -32700; elsewhere -32700 without an id. The next message works.',
      tests: [
        {
          file: 'packages/testing/test/hostile-messages.test.ts',
          name: 'causes one error, regardless of where it is cut off',
        },
        { file: 'packages/core/test/http/refusals.test.ts', name: 'parseError' },
      ],
    },
    {
      row: 'A2',
      fault: 'A huge body',
      behaviour: '413 beyond 4 MiB, with a declared length and with chunks.',
      tests: [
        {
          file: 'packages/testing/src/contracts/adapter/requests.ts',
          name: 'answers 413 to a declared length of one byte more',
        },
        {
          file: 'packages/testing/src/contracts/adapter/requests.ts',
          name: 'counts a chunked body, and answers 413 beyond the limit',
        },
      ],
    },
    {
      row: 'A3',
      fault: 'Deep nesting',
      behaviour: '-32700 beyond 128 levels, found before the text is parsed.',
      tests: [
        {
          file: 'packages/core/test/protocol/parse.test.ts',
          name: 'with %i levels of nesting, returns ok: %s',
        },
        { file: 'packages/testing/test/hostile-messages.test.ts', name: '129 levels in _meta' },
      ],
    },
    {
      row: 'A4',
      fault: 'A flood of keys or items',
      behaviour: '-32700 beyond 100,000 brackets, commas and colons, counted before the text is parsed.',
      tests: [
        {
          file: 'packages/core/test/protocol/parse.test.ts',
          name: 'rejects a text with too many elements without parsing it',
        },
        { file: 'packages/testing/test/hostile-messages.test.ts', name: '100,000 keys' },
      ],
    },
    {
      row: 'A5',
      fault: 'Keys that reach a prototype',
      behaviour:
        '`__proto__` and `constructor.prototype` are refused with -32700 at any depth, also in a body that the host has parsed.',
      tests: [
        {
          file: 'packages/core/test/protocol/parse.test.ts',
          name: 'rejects keys that could reach a prototype: %s',
        },
        { file: 'packages/testing/test/hostile-messages.test.ts', name: '__proto__ in the arguments' },
      ],
    },
    {
      row: 'A6',
      fault: 'Names of `Object.prototype` as methods, tools, prompts',
      behaviour: 'They are unknown like any other name, with the same answer.',
      tests: [
        {
          file: 'packages/testing/test/hostile-messages.test.ts',
          name: 'are treated like any other unknown name',
        },
      ],
    },
    {
      row: 'A7',
      fault: 'A key twice',
      behaviour: '-32700 in the envelope, also with escapes. Deeper, the last one counts.',
      tests: [
        {
          file: 'packages/core/test/protocol/parse.test.ts',
          name: 'rejects an envelope only if it has a repeated key, whatever its values contain',
        },
        { file: 'packages/testing/test/hostile-messages.test.ts', name: 'the id twice, once with escapes' },
      ],
    },
    {
      row: 'A8',
      fault: 'Keys in another case (`Method`, `paramſ`)',
      behaviour: 'They are other keys. A message without a `method` is refused with -32600.',
      tests: [
        { file: 'packages/testing/test/hostile-messages.test.ts', name: 'METHOD' },
        { file: 'packages/core/test/protocol/jsonrpc.test.ts', name: 'a capitalised key' },
      ],
    },
    {
      row: 'A9',
      fault: 'Invalid UTF-8',
      behaviour: '-32700, wherever a chunk ends. No replacement character reaches a handler.',
      tests: [
        {
          file: 'packages/core/test/protocol/parse.test.ts',
          name: 'rejects bytes that are not UTF-8, so that handlers never receive replacement characters',
        },
        {
          file: 'packages/stdio/test/line-framer.test.ts',
          name: 'rejects only invalid UTF-8, however the bytes are chunked',
        },
      ],
    },
    {
      row: 'A10',
      fault: 'Lone surrogates',
      behaviour: 'They reach the handler unchanged.',
      tests: [{ file: 'packages/testing/test/hostile-messages.test.ts', name: 'lone surrogates' }],
    },
    {
      row: 'A11',
      fault: 'A byte order mark',
      behaviour: 'One is dropped at the start. A second one is an error.',
      tests: [
        { file: 'packages/core/test/protocol/parse.test.ts', name: 'strips one leading byte order mark' },
        { file: 'packages/stdio/test/line-framer.test.ts', name: 'drops one leading byte order mark' },
      ],
    },
    {
      row: 'A12',
      fault: 'CRLF, blank lines, a lone CR',
      behaviour: 'LF and CRLF end a line. Blank lines are ignored. A lone CR is white space.',
      tests: [
        {
          file: 'packages/stdio/test/line-framer.test.ts',
          name: 'accepts LF and CRLF, and ignores blank lines',
        },
        { file: 'packages/stdio/test/line-framer.test.ts', name: 'treats a lone CR as part of the line' },
      ],
    },
    {
      row: 'A13',
      fault: 'Lines and characters split over chunks',
      behaviour: 'The same lines for all chunks, in linear time.',
      tests: [
        {
          file: 'packages/stdio/test/line-framer.test.ts',
          name: 'returns the same lines however the stream is chunked',
        },
        {
          file: 'packages/stdio/test/line-framer.test.ts',
          name: 'reads an 8 MiB line in chunks of 64 bytes in linear time',
        },
      ],
    },
    {
      row: 'A14',
      fault: 'A line without an end',
      behaviour:
        'Beyond 10 MiB it gets one -32700 and is skipped. Only the line counts, not the chunk around it.',
      tests: [
        {
          file: 'packages/stdio/test/line-framer.test.ts',
          name: 'buffers no more of an endless line than the limit',
        },
        {
          file: 'packages/stdio/test/line-framer.test.ts',
          name: 'applies the limit to each line rather than to all buffered bytes',
        },
        {
          file: 'packages/stdio/test/embedded.test.ts',
          name: 'responds to a line that is too long or not UTF-8 with a parse error that has no id',
        },
      ],
    },
  ],
}
