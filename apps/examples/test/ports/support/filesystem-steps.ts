import type { Step } from './official-client.ts'

/**
 * There are two placeholders: `{shared}` is a folder that both servers read, and `{own}` is a separate folder
 * for each server.
 */
const call = (name: string, args: object = {}): Step => ({
  method: 'tools/call',
  params: { name, arguments: args },
})

const READING = [
  '{shared}/a.txt',
  'a.txt',
  '{shared}/sub/../a.txt',
  '{shared}/crlf.txt',
  '{shared}/empty.txt',
  '{shared}/long.txt',
  '{shared}/é.txt'.normalize('NFC'),
  '{shared}/é.txt'.normalize('NFD'),
  '{shared}/link-inside',
  '{shared}/sub',
  '{shared}/missing.txt',
  '{shared}/missing/x.txt',
  '{shared}/a.txt/x',
  '{outside}/secret.txt',
  '{shared}/../outside/secret.txt',
  '../outside/secret.txt',
  '{shared}/link-outside',
  '{shared}/folder-outside/secret.txt',
  '{shared}/dangling',
  '{shared}-not',
  '/etc/passwd',
  '~/none.txt',
  'C:\\Windows\\win.ini',
  '{shared}/a\0.txt',
  '',
  5,
].flatMap((path) => [call('read_text_file', { path }), call('read_media_file', { path })])

const PARTS = [
  { head: 1 },
  { head: 2 },
  { head: 1000 },
  { head: 0 },
  { head: -1 },
  { tail: 1 },
  { tail: 2 },
  { tail: 300 },
  { tail: 1000 },
  { tail: 0 },
  { tail: -1 },
  { head: 1, tail: 1 },
  { head: 'x' },
].flatMap((part) =>
  ['a.txt', 'crlf.txt', 'empty.txt', 'long.txt'].map((path) => call('read_file', { path, ...part })),
)

const LISTING: readonly Step[] = [
  ...[
    '{shared}',
    'sub',
    '{shared}/a.txt',
    '{shared}/missing',
    '{outside}',
    '{shared}/folder-outside',
  ].flatMap((path) => [
    call('list_directory', { path }),
    call('list_directory_with_sizes', { path }),
    call('list_directory_with_sizes', { path, sortBy: 'size' }),
    call('directory_tree', { path }),
    call('search_files', { path, pattern: '**/*.md' }),
    call('get_file_info', { path }),
  ]),
  call('list_directory_with_sizes', { path: '{shared}', sortBy: 'date' }),
  call('list_directory_with_sizes'),
  ...['sub', '*.md', '**/*.md', 'deep', 'node_modules/**', 'x.md'].flatMap((pattern) => [
    call('directory_tree', { path: '{shared}', excludePatterns: [pattern] }),
    call('search_files', { path: '{shared}', pattern: '**', excludePatterns: [pattern] }),
    call('search_files', { path: '{shared}', pattern }),
  ]),
  call('search_files', { path: '{shared}' }),
  call('search_files', { path: '{shared}', pattern: '*', excludePatterns: 'x' }),
  call('directory_tree', { path: '{shared}', excludePatterns: [1] }),
  call('list_allowed_directories'),
  call('list_allowed_directories', { more: 1 }),
  call('read_multiple_files', {
    paths: ['a.txt', '{shared}/empty.txt', 'missing.txt', '{outside}/secret.txt'],
  }),
  call('read_multiple_files', { paths: ['{shared}/sub'] }),
  call('read_multiple_files', { paths: [] }),
  call('read_multiple_files', { paths: 'a.txt' }),
  call('read_media_file', { path: '{shared}/picture.png' }),
  call('read_media_file', { path: '{shared}/SOUND.MP3' }),
  call('read_media_file', { path: '{shared}/data.bin' }),
  call('no_such_tool'),
]

const edit = (path: string, oldText: string, newText: string, more: object = {}) =>
  call('edit_file', { path, edits: [{ oldText, newText }], ...more })

const CHANGING: readonly Step[] = [
  call('write_file', { path: '{own}/new.txt', content: 'new\n' }),
  call('write_file', { path: '{own}/new.txt', content: 'newer\n' }),
  call('write_file', { path: '{own}/script.sh', content: 'echo changed\n' }),
  call('write_file', { path: '{own}/é.txt'.normalize('NFD'), content: 'e\n' }),
  call('write_file', { path: '{own}/none/new.txt', content: '' }),
  call('write_file', { path: '{own}/folder', content: '' }),
  call('write_file', { path: '{own}/link-outside', content: 'broken out' }),
  call('write_file', { path: '{own}/dangling', content: 'broken out' }),
  call('write_file', { path: '{own}/folder-outside/new.txt', content: 'broken out' }),
  call('write_file', { path: '{outside}/new.txt', content: 'broken out' }),
  call('write_file', { path: '{own}/new.txt' }),
  edit('{own}/code.ts', 'const a = 1', 'const a = 2', { dryRun: true }),
  edit('{own}/code.ts', 'const a = 1', 'const a = $&2'),
  edit('{own}/code.ts', 'if (a) {\nreturn b\n}', 'if (a) {\n  return c\n}'),
  edit('{own}/code.ts', '  indented\n    more', '  changed\n      deeper\nflat'),
  edit('{own}/code.ts', 'not there', 'x'),
  edit('{own}/crlf.txt', 'one\r\ntwo', '1\r\n2'),
  edit('{own}/fence.md', '```', '````'),
  edit('{own}/script.sh', 'changed', 'edited'),
  call('edit_file', {
    path: '{own}/new.txt',
    edits: [
      { oldText: 'newer', newText: 'newest' },
      { oldText: 'newest', newText: 'last' },
    ],
  }),
  call('edit_file', { path: '{own}/new.txt', edits: [] }),
  call('edit_file', { path: '{own}/new.txt', edits: [{ oldText: 'x' }] }),
  edit('{own}/missing.txt', 'a', 'b'),
  edit('{own}/link-outside', 'secret', 'public'),
  call('create_directory', { path: '{own}/made' }),
  call('create_directory', { path: '{own}/made' }),
  call('create_directory', { path: '{own}/many/parts/deep' }),
  call('create_directory', { path: '{own}/new.txt' }),
  call('create_directory', { path: '{own}/folder-outside/made' }),
  call('create_directory', { path: '{outside}/made' }),
  call('create_directory'),
  call('move_file', { source: '{own}/new.txt', destination: '{own}/made/moved.txt' }),
  call('move_file', { source: '{own}/made', destination: '{own}/renamed' }),
  call('move_file', { source: '{own}/code.ts', destination: '{own}/crlf.txt' }),
  call('move_file', { source: '{own}/missing', destination: '{own}/x' }),
  call('move_file', { source: '{own}/code.ts', destination: '{outside}/code.ts' }),
  call('move_file', { source: '{outside}/secret.txt', destination: '{own}/secret.txt' }),
  call('move_file', { source: '{own}/code.ts', destination: '{own}/folder-outside/code.ts' }),
  call('move_file', { source: '{own}/code.ts' }),
]

/** Steps for every tool with valid, missing and invalid arguments. */
export const FILESYSTEM_STEPS: readonly Step[] = [
  { method: 'tools/list' },
  ...READING,
  ...PARTS,
  ...LISTING,
  ...CHANGING,
]

const roots = (...uris: readonly string[]) => ({ 'roots/list': { roots: uris.map((uri) => ({ uri })) } })
const list = call('list_allowed_directories')
const files = [
  call('read_text_file', { path: '{shared}/a.txt' }),
  call('read_text_file', { path: '{own}/code.ts' }),
  call('read_text_file', { path: '{outside}/secret.txt' }),
  call('read_text_file', { path: 'a.txt' }),
]

/** The roots that a client has one after another, each with the calls that follow. */
export const ROOT_CHANGES: readonly {
  readonly name: string
  readonly replies: Step['replies']
  readonly steps: readonly Step[]
}[] = [
  { name: 'one folder', replies: roots('file://{shared}'), steps: [list, ...files] },
  { name: 'other folders', replies: roots('file://{own}', 'file://{outside}'), steps: [list, ...files] },
  {
    name: 'a link, a file and what does not exist',
    replies: roots('file://{shared}/folder-outside', 'file://{shared}/a.txt', 'file://{shared}/none'),
    steps: [list, ...files],
  },
  { name: 'none that is a folder', replies: roots('file://{shared}/a.txt'), steps: [list, ...files] },
]
