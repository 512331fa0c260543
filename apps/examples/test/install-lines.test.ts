/** Every `npm install` of tarballs in the README and the guides names all the packages that it needs. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const guides = readdirSync(join(root, 'docs/guide')).map((name) => `docs/guide/${name}`)

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest

/** The packages of this repository that a package depends on, and itself. */
function closure(name: string): readonly string[] {
  const own = Object.keys(manifestOf(name).dependencies ?? {}).filter((needed) =>
    needed.startsWith('@jetway/'),
  )
  return [name, ...own.flatMap((needed) => closure(needed.slice('@jetway/'.length)))]
}

function peersOf(name: string): readonly string[] {
  const { peerDependencies = {}, peerDependenciesMeta = {} } = manifestOf(name)
  return Object.keys(peerDependencies).filter((peer) => peerDependenciesMeta[peer]?.optional !== true)
}

/** The commands that install tarballs, and the packages that each names, with and without braces. */
const lines = ['README.md', ...guides].flatMap((page) =>
  [
    ...readFileSync(join(root, page), 'utf8').matchAll(
      /npm install .*tarballs\/jetway-(?:\{(.+)\}|([\w-]+))-0\.0\.0\.tgz(.*)/g,
    ),
  ].map(([command, list, single = '', others = '']) => ({
    page,
    command,
    packages: list?.split(',') ?? [single],
    others: others.split('`')[0]?.trim().split(' ') ?? [],
  })),
)

it.each(lines)('$page: $command', ({ packages, others }) => {
  expect(new Set(packages)).toEqual(new Set(packages.flatMap(closure)))
  const names = others.map((other) => other.replace(/(?<=.)@.*$/, ''))
  expect(names).toEqual(expect.arrayContaining(packages.flatMap(peersOf)))
})

it('the install page has a line for every package', () => {
  const onPage = lines.filter(({ page }) => page === 'docs/guide/install.md')
  expect(new Set(onPage.flatMap(({ packages }) => packages))).toEqual(
    new Set(readdirSync(join(root, 'packages'))),
  )
})
