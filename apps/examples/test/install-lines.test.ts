/** Checks that every `npm install` in a README or a guide names all required packages. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const guides = readdirSync(join(root, 'docs/guide')).map((name) => `docs/guide/${name}`)

/** The packages, without the aliases of `cli` and `create-jetway`, which npx installs. */
const PACKAGES = readdirSync(join(root, 'packages')).filter(
  (name) => !['jetway', 'create-jetway'].includes(name),
)

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest

/** Returns a package and all packages of this repository on which it depends. */
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

interface InstallLines {
  readonly parseInstall: (command: string) => {
    readonly flags: readonly string[]
    readonly packages: readonly string[]
    readonly others: readonly string[]
  }
  readonly installFromNpm: (text: string, dependencies: ReadonlyMap<string, readonly string[]>) => string
  readonly readDependencies: (root: string) => ReadonlyMap<string, readonly string[]>
}

const { installFromNpm, parseInstall, readDependencies } = (await import(
  new URL('../../../scripts/project/install-lines.mjs', import.meta.url).href
)) as InstallLines

/** Whether the pages install from npm; see `.github/project.json`. */
const { published } = JSON.parse(readFileSync(join(root, '.github/project.json'), 'utf8')) as {
  readonly published: boolean
}

function parse(page: string, command: string): Line {
  const installs = command.split(' && ').map(parseInstall)
  return {
    page,
    command,
    packages: installs.flatMap(({ packages }) => packages),
    dev: installs.flatMap(({ flags, packages }) => (flags.includes('--save-dev') ? packages : [])),
    others: installs.flatMap(({ others }) => others),
  }
}

/** The commands that install this repository's packages, from tarballs or from npm. */
const lines = ['README.md', ...guides].flatMap((page) =>
  [
    ...readFileSync(join(root, page), 'utf8').matchAll(/npm install [^`\n]*(?:tarballs\/|@jetway\/)[^`\n]*/g),
  ].map(([command]) => parse(page, command)),
)

const ofTarballs = lines.filter(({ command }) => command.includes('tarballs/'))

it('the guides install from tarballs until the packages are on npm', () => {
  expect(ofTarballs.length > 0).toBe(!published)
  expect(lines.length).toBeGreaterThan(20)
})

it.each(ofTarballs)('$page names every tarball that another tarball depends on: $command', ({ packages }) => {
  expect(new Set(packages)).toEqual(new Set(packages.flatMap(closure)))
})

const dependencies = readDependencies(root)

it.each(ofTarballs)(
  '$page would install the same packages from npm: $command',
  ({ page, command, packages }) => {
    const line = parse(page, installFromNpm(command, dependencies))
    expect(new Set(line.packages.flatMap(closure))).toEqual(new Set(packages))
  },
)

it.each(lines)('$page contains a complete install command: $command', ({ packages, dev, others }) => {
  const names = others.map((other) => other.replace(/(?<=.)@.*$/, ''))
  expect(names).toEqual(expect.arrayContaining(packages.flatMap(peersOf)))
  const forTests = ['client', 'testing'].filter((name) => packages.includes(name))
  expect(dev).toEqual(packages.includes('testing') ? forTests : packages.filter(isCommand))
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
