import { createValidator } from '@jetway/json-schema'
import { characters } from '../project/characters.ts'
import { serverSchema } from '../schema-files.ts'
import { isPrivateHost } from './private-host.ts'
import { type Input, NPM_REGISTRY, type Package, PUBLISHER_META, type ServerJson } from './document.ts'

/** A problem for which the registry would reject the server, and how to fix it. */
export interface Problem {
  /** The name of the rule, such as `description-length`. */
  readonly rule: string
  readonly text: string
  readonly advice: string
}

interface Rule {
  readonly rule: string
  readonly advice: string
  /** Returns a description of each violation. */
  readonly check: (document: ServerJson) => readonly string[]
}

const MAX_META_BYTES = 4_096
const MAX_DESCRIPTION = 100

/** A name such as `io.github.ann/shop`. Both parts begin and end with a letter or a digit. */
const NAME = /^[a-z\d][a-z\d.-]*[a-z\d]\/[a-z\d][\w.-]*[a-z\d]$/i
/** npm version ranges, which the registry does not accept as versions. */
const RANGE = /[\^~<>=*|\s]|(?:^|\.)x(?:\.|$)/i
/** The URLs from which the registry accepts bundles. */
const RELEASE = /^https:\/\/(?:github\.com\/[^/]+\/[^/]+\/releases\/|gitlab\.com\/.+\/-\/releases\/)/

/** The rules of the official registry that are not in its schema. */
const RULES: readonly Rule[] = [
  {
    rule: 'name',
    advice:
      'Set it in package.json: npm pkg set mcpName=io.github.YOU/SERVER. The registry checks that you own it',
    check: ({ name }) =>
      name === undefined
        ? ['There is no name']
        : NAME.test(name)
          ? []
          : [`The name ${name} is not in reverse-DNS form`],
  },
  {
    rule: 'description',
    advice: `Write one sentence of at most ${MAX_DESCRIPTION} characters into "description" of package.json`,
    check: ({ description }) => {
      if (description === undefined) return ['There is no description']
      const length = characters(description)
      return length <= MAX_DESCRIPTION ? [] : [`The description has ${length} characters`]
    },
  },
  {
    rule: 'version',
    advice: 'Use one version, such as 1.2.3, in package.json',
    check: ({ version, packages = [] }) =>
      [version, ...packages.flatMap((each) => each.version ?? [])]
        .filter((each) => each === 'latest' || RANGE.test(each))
        .map((each) => `${each} is no single version`),
  },
  {
    rule: 'something-to-install',
    advice:
      'Publish an npm package with a "bin", release a bundle (--bundle and --bundle-url), or name "remotes" in jetway.json',
    check: ({ packages, remotes }) =>
      packages === undefined && remotes === undefined
        ? ['It has neither a package nor a remote address']
        : [],
  },
  {
    rule: 'npm-registry',
    advice: `Publish the package on ${NPM_REGISTRY}`,
    check: ({ packages = [] }) =>
      packages
        .filter(
          ({ registryType, registryBaseUrl }) => registryType === 'npm' && registryBaseUrl !== NPM_REGISTRY,
        )
        .map(({ identifier }) => `The registry accepts ${identifier} from npm's own registry only`),
  },
  {
    rule: 'bundle',
    advice: 'Attach the bundle to a release of GitHub or GitLab, and pass its address with --bundle-url',
    check: ({ packages = [] }) => packages.flatMap(bundleFaults),
  },
  {
    rule: 'repository',
    advice: 'Set "repository" of package.json to the address of the repository on GitHub or GitLab',
    check: ({ repository }) =>
      repository === undefined ||
      /^https:\/\/(?:www\.)?(?:github|gitlab)\.com\/[^/]+\/[^/]+/.test(repository.url)
        ? []
        : [`The repository ${repository.url} is not on GitHub or GitLab`],
  },
  {
    rule: 'https',
    advice: 'Use an address that begins with https://',
    check: ({ websiteUrl, icons = [] }) =>
      [websiteUrl, ...icons.map(({ src }) => src)]
        .filter((url) => url !== undefined && !url.startsWith('https://'))
        .map((url) => `${url} is not https`),
  },
  {
    rule: 'remote-url',
    advice: 'Name the address that users reach, in "remotes" of jetway.json',
    check: ({ remotes = [] }) =>
      remotes.flatMap(({ url }) => {
        // Parts of the URL may be variables that the user fills in.
        const filled = url.replaceAll(/\{[^}]*\}/g, 'x')
        if (!URL.canParse(filled)) return [`${url} is not a URL`]
        const { protocol, hostname } = new URL(filled)
        if (protocol !== 'https:') return [`${url} is not https`]
        return isPrivateHost(hostname) ? [`${url} is a private address`] : []
      }),
  },
  {
    rule: 'duplicate-remotes',
    advice: 'Name each address once in "remotes" of jetway.json',
    check: ({ remotes = [] }) =>
      remotes
        .filter(({ url }, at) => remotes.findIndex((each) => each.url === url) < at)
        .map(({ url }) => `${url} occurs twice`),
  },
  {
    rule: 'variables',
    advice: 'Describe each {variable} in "variables" of the remote, in jetway.json',
    check: ({ remotes = [] }) =>
      remotes.flatMap(({ url, headers = [], variables = {} }) =>
        [url, ...headers.map(({ value }: Input) => value ?? '')]
          .flatMap((text) => [...text.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name))
          .filter((name) => !Object.hasOwn(variables, name))
          .map((name) => `{${name}} of ${url} is not described`),
      ),
  },
  {
    rule: 'meta',
    advice: 'Shorten "meta" of jetway.json',
    check: ({ _meta: meta = {} }) => {
      const others = Object.keys(meta).filter((key) => key !== PUBLISHER_META)
      const bytes = Buffer.byteLength(JSON.stringify(meta[PUBLISHER_META] ?? {}))
      return [
        ...others.map((key) => `The registry drops ${key} of _meta`),
        ...(bytes <= MAX_META_BYTES
          ? []
          : [`meta has ${bytes} bytes, and at most ${MAX_META_BYTES} are allowed`]),
      ]
    },
  },
]

function bundleFaults({ registryType, identifier, fileSha256 }: Package): readonly string[] {
  if (registryType !== 'mcpb') return []
  return [
    ...(RELEASE.test(identifier) ? [] : [`${identifier} is not a file of a release on GitHub or GitLab`]),
    ...(/mcp/i.test(identifier) ? [] : [`${identifier} does not contain mcp`]),
    ...(fileSha256 === undefined ? [`${identifier} has no SHA-256`] : []),
  ]
}

/** Checks a document against the rules of the registry, and against its schema. */
export function problemsOf(document: ServerJson): readonly Problem[] {
  const broken = RULES.flatMap(({ rule, advice, check }) =>
    check(document).map((text) => ({ rule, text, advice })),
  )
  if (broken.length > 0) return broken
  return createValidator(serverSchema())
    .errors(document)
    .map(({ instancePath, message = 'is not valid' }) => ({
      rule: 'schema',
      text: `${instancePath === '' ? 'server.json' : instancePath.slice(1).replaceAll('/', '.')} ${message}`,
      advice: 'Correct the fact in package.json or jetway.json',
    }))
}
