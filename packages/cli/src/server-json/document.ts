import type { Project } from '../project/project.ts'
import type { Remote, RemoteInput, Setting } from '../project/jetway-json.ts'
import type { RunningFile } from '../project/running-server.ts'
import { defaultOf } from '../project/settings.ts'
import { SERVER_SCHEMA_SOURCE } from '../schema-files.ts'

/** A value for which a client of the registry asks the user. */
export interface Input {
  readonly name?: string
  readonly description?: string
  readonly isRequired?: boolean
  readonly isSecret?: boolean
  readonly format?: string
  readonly default?: string
  readonly choices?: readonly string[]
  readonly value?: string
}

export interface Package {
  readonly registryType: 'npm' | 'mcpb'
  readonly registryBaseUrl?: string
  readonly identifier: string
  readonly version?: string
  readonly fileSha256?: string
  readonly runtimeHint?: string
  readonly transport: { readonly type: string; readonly url?: string }
  readonly packageArguments?: readonly { readonly type: 'positional'; readonly value: string }[]
  readonly environmentVariables?: readonly Input[]
}

export interface RemoteTransport {
  readonly type: string
  readonly url: string
  readonly headers?: readonly Input[]
  readonly variables?: Readonly<Record<string, Input>>
}

/** A server's description in the registry, revision 2025-12-11. */
export interface ServerJson {
  readonly $schema: string
  readonly name?: string
  readonly description?: string
  readonly title?: string
  readonly version: string
  readonly websiteUrl?: string
  readonly repository?: { readonly url: string; readonly source: string; readonly subfolder?: string }
  readonly icons?: readonly { readonly src: string }[]
  readonly packages?: readonly Package[]
  readonly remotes?: readonly RemoteTransport[]
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** A bundle that is part of a release. */
export interface ReleasedBundle {
  readonly url: string
  readonly sha256: string
}

export const NPM_REGISTRY = 'https://registry.npmjs.org'
export const PUBLISHER_META = 'io.modelcontextprotocol.registry/publisher-provided'

/** Creates `server.json` from a project, its running server, and a bundle of the same version. */
export function documentOf(
  { packageJson, jetwayJson }: Project,
  { details: { info }, serves }: RunningFile,
  bundle: ReleasedBundle | undefined,
): ServerJson {
  const inputs = Object.entries(jetwayJson.settings ?? {}).map(([name, setting]) => variableOf(name, setting))
  const environmentVariables = inputs.length === 0 ? undefined : inputs
  const hasPackage = !packageJson.isPrivate && packageJson.hasBin && serves === 'stdio'
  const packages: readonly Package[] = [
    ...(hasPackage ? [npmPackage(packageJson, jetwayJson.args ?? [], environmentVariables)] : []),
    ...(bundle === undefined ? [] : [bundlePackage(packageJson.version, bundle)]),
  ]
  const remotes = (jetwayJson.remotes ?? []).map(remoteOf)
  const icons = info?.icons?.filter(({ src }) => src.startsWith('https:'))
  return defined({
    $schema: SERVER_SCHEMA_SOURCE.address,
    name: packageJson.mcpName,
    title: info?.title ?? jetwayJson.title,
    description: packageJson.description,
    version: packageJson.version,
    websiteUrl: info?.websiteUrl ?? jetwayJson.website ?? packageJson.homepage,
    repository: packageJson.repository && repositoryOf(packageJson.repository),
    icons: icons !== undefined && icons.length > 0 ? icons : undefined,
    packages: packages.length > 0 ? packages : undefined,
    remotes: remotes.length > 0 ? remotes : undefined,
    _meta: jetwayJson.meta && { [PUBLISHER_META]: jetwayJson.meta },
  })
}

function npmPackage(
  { name, version }: Project['packageJson'],
  args: readonly string[],
  environmentVariables: readonly Input[] | undefined,
): Package {
  return defined({
    registryType: 'npm' as const,
    registryBaseUrl: NPM_REGISTRY,
    identifier: name,
    version,
    runtimeHint: 'npx',
    transport: { type: 'stdio' },
    packageArguments:
      args.length === 0 ? undefined : args.map((value) => ({ type: 'positional' as const, value })),
    environmentVariables,
  })
}

/** Hosts ask the user for a bundle's settings as its manifest specifies. */
const bundlePackage = (version: string, { url, sha256 }: ReleasedBundle): Package => ({
  registryType: 'mcpb',
  identifier: url,
  version,
  fileSha256: sha256,
  transport: { type: 'stdio' },
})

function repositoryOf({ url, folder }: NonNullable<Project['packageJson']['repository']>) {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  return defined({ url, source: host.replace(/^www\.|\.(?:com|org)$/g, ''), subfolder: folder })
}

const FORMATS = {
  string: undefined,
  number: 'number',
  boolean: 'boolean',
  directory: 'filepath',
  file: 'filepath',
}

function variableOf(name: string, setting: Setting): Input {
  const { description, type = 'string', required, secret } = setting
  return defined({
    name,
    description,
    format: FORMATS[type],
    isRequired: required === true ? true : undefined,
    isSecret: secret === true ? true : undefined,
    default: defaultOf(setting),
  })
}

function remoteOf({ url, type = 'streamable-http', headers, variables }: Remote): RemoteTransport {
  const inputs = Object.entries(headers ?? {}).map(([name, input]) => ({ name, ...inputOf(input) }))
  return defined({
    type,
    url,
    headers: inputs.length > 0 ? inputs : undefined,
    variables:
      variables && Object.fromEntries(Object.entries(variables).map(([name, each]) => [name, inputOf(each)])),
  })
}

function inputOf({ required, secret, ...rest }: RemoteInput): Input {
  return defined({
    ...rest,
    isRequired: required === true ? true : undefined,
    isSecret: secret === true ? true : undefined,
  })
}

type Defined<T> = { readonly [K in keyof T]: Exclude<T[K], undefined> }

/** Removes undefined members. */
const defined = <T extends object>(members: T): Defined<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>
