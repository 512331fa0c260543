/** Checks that every `npm install` in a README or a guide names all required packages. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const guides = readdirSync(join(root, 'docs/guide')).map((name) => `docs/guide/${name}`)

/** Without the alias of `cli`, which npx installs. */
const PACKAGES = readdirSync(join(root, 'packages')).filter((name) => name !== 'jetway')

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

interface Line {
  readonly page: string
  readonly command: string
  readonly packages: readonly string[]
  /** The packages that become `devDependencies`. */
  readonly dev: readonly string[]
  /** The third-party packages. */
  readonly others: readonly string[]
}

const TARBALLS = /\S*tarballs\/jetway-(?:\{(.+?)\}|([\w-]+))-0\.0\.0\.tgz/g

const packagesIn = (command: string): readonly string[] =>
  [...command.matchAll(TARBALLS)].flatMap(([, list, single = '']) => list?.split(',') ?? [single])

function parse(page: string, command: string): Line {
  const installs = command.split(' && ')
  const others = installs.flatMap((install) => install.replaceAll(TARBALLS, '').split(' ').slice(2))
  return {
    page,
    command,
    packages: packagesIn(command),
    dev: installs.filter((install) => install.includes('--save-dev')).flatMap(packagesIn),
    others: others.filter((word) => word !== '' && !word.startsWith('--')),
  }
}

/** The commands that install tarballs, and the packages that each names, with and without braces. */
const lines = ['README.md', ...guides].flatMap((page) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/npm install [^`\n]*tarballs\/[^`\n]*/g)].map(
    ([command]) => parse(page, command),
  ),
)

it.each(lines)('$page contains a complete install command: $command', ({ packages, dev, others }) => {
  expect(new Set(packages)).toEqual(new Set(packages.flatMap(closure)))
  const names = others.map((other) => other.replace(/(?<=.)@.*$/, ''))
  expect(names).toEqual(expect.arrayContaining(packages.flatMap(peersOf)))
  expect(dev).toEqual(packages.includes('testing') ? ['client', 'testing'] : packages.filter(isCommand))
})

it('the install page contains a line for every package', () => {
  const onPage = lines.filter(({ page }) => page === 'docs/guide/install.md')
  expect(new Set(onPage.flatMap(({ packages }) => packages))).toEqual(new Set(PACKAGES))
})

const isCommand = (name: string): boolean => name === 'cli'

const nameOf = (specifier: string): string =>
  specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')

it.each(PACKAGES)('the README of %s installs everything that its code imports', (name) => {
  const text = readFileSync(join(root, 'packages', name, 'README.md'), 'utf8')
  const installed = [...text.matchAll(/^npm install (.+)$/gm)]
    .flatMap(([, words = '']) => words.split(' '))
    .map((word) => word.replace(/(?<=.)@.*$/, ''))
  const code = [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, block = '']) => block).join('\n')
  const imported = [...code.matchAll(/from '([^']+)'/g)]
    .map(([, specifier = '']) => specifier)
    .filter((specifier) => !/^(?:node:|\.)/.test(specifier))
  expect(installed).toEqual(
    expect.arrayContaining([`@jetway/${name}`, ...imported.map(nameOf), ...peersOf(name)]),
  )
})
