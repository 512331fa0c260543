import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const LINES = Array.from({ length: 400 }, (_, i) => `line ${i} — é😀`).join('\n')

/** The folders for one test. */
export interface Folders {
  readonly shared: string
  readonly theirs: string
  readonly ours: string
  /** A sibling folder that servers must not use. */
  readonly outside: string
  remove(): Promise<void>
}

export async function createFolders(): Promise<Folders> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'ports-')))
  const [shared, theirs, ours, outside] = ['shared', 'theirs', 'ours', 'outside'].map((name) =>
    join(root, name),
  ) as [string, string, string, string]
  for (const folder of [shared, theirs, ours, outside]) await mkdir(folder)
  await writeFile(join(outside, 'secret.txt'), 'secret\n')
  await fillShared(shared, outside)
  for (const own of [theirs, ours]) await fillOwn(own, outside)
  return { shared, theirs, ours, outside, remove: () => rm(root, { recursive: true, force: true }) }
}

async function fillShared(shared: string, outside: string): Promise<void> {
  await write(shared, {
    'a.txt': 'one\ntwo\nthree\n',
    'crlf.txt': 'one\r\ntwo\r\nthree',
    'empty.txt': '',
    'long.txt': LINES,
    'picture.png': 'not really a picture',
    'SOUND.MP3': 'not really a sound',
    'data.bin': '\0\u0001',
    '..hidden': 'x'.repeat(2000),
    ['é.txt'.normalize('NFC')]: 'accent\n',
  })
  await mkdir(join(shared, 'sub', 'deep'), { recursive: true })
  await mkdir(join(shared, 'node_modules'))
  await write(shared, { 'sub/y.ts': '', 'sub/deep/x.md': '# X\n', 'node_modules/z.js': '', 'x.md': '' })
  await symlink(join(shared, 'a.txt'), join(shared, 'link-inside'))
  await linkOutside(shared, outside)
}

async function fillOwn(own: string, outside: string): Promise<void> {
  await write(own, {
    'code.ts': 'const a = 1\n    if (a) {\n      return b\n    }\n\tindented\n\t\tmore\n',
    'crlf.txt': 'one\r\ntwo\r\nthree\r\n',
    'fence.md': 'a\n```\nb\n',
    'script.sh': 'echo\n',
    ['é.txt'.normalize('NFC')]: 'accent\n',
  })
  await chmod(join(own, 'script.sh'), 0o751)
  await mkdir(join(own, 'folder'))
  await linkOutside(own, outside)
}

async function linkOutside(folder: string, outside: string): Promise<void> {
  await symlink(join(outside, 'secret.txt'), join(folder, 'link-outside'))
  await symlink(outside, join(folder, 'folder-outside'))
  await symlink(join(outside, 'missing'), join(folder, 'dangling'))
}

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
}

/** Returns the names, permissions and content of all files in a folder. */
export async function contentsOf(folder: string): Promise<readonly (readonly [string, number, string])[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const contents = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name)
    const { mode } = await lstat(path)
    return [path.slice(folder.length), mode, entry.isFile() ? await readFile(path, 'utf8') : ''] as const
  })
  return (await Promise.all(contents)).toSorted(([a], [b]) => (a < b ? -1 : 1))
}
