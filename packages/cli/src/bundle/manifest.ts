import process from 'node:process'
import { CliError } from '../errors.ts'
import type { Project } from '../project/project.ts'
import type { RunningServer } from '../project/running-server.ts'
import { environmentOf, type UserConfigOption, userConfigOf } from './user-config.ts'

/**
 * The manifest of a bundle, version 0.3. Version 0.4 only adds a Python runtime.
 * https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md
 */
export interface Manifest {
  readonly manifest_version: '0.3'
  readonly name: string
  readonly version: string
  readonly description: string
  readonly tools?: readonly { readonly name: string; readonly description?: string }[]
  readonly tools_generated?: boolean
  readonly privacy_policies?: readonly string[]
  readonly user_config?: Readonly<Record<string, UserConfigOption>>
  readonly server: {
    readonly type: 'node'
    readonly entry_point: string
    readonly mcp_config: {
      readonly command: 'node'
      readonly args: readonly string[]
      readonly env?: Readonly<Record<string, string>>
    }
  }
  readonly [member: string]: unknown
}

export interface ManifestOptions {
  readonly project: Project
  readonly running: RunningServer
  readonly toolsGenerated: boolean
  /** Whether the bundle contains files that work only on the current platform. */
  readonly isNative: boolean
  readonly images: Images
}

/** The paths of the images in the bundle. */
export interface Images {
  readonly icon?: { readonly path: string; readonly size: string }
  readonly screenshots: readonly string[]
}

export const ENTRY_POINT = 'server/index.js'

/** Returns the package name without the `@` and `/` of a scope. */
export const bundleName = ({ name }: Project['packageJson']): string =>
  name.replace(/^@/, '').replaceAll('/', '-')

/** Creates the manifest. @throws CliError `failed` if required information is missing */
export function manifestOf(options: ManifestOptions): Manifest {
  const { project, running, toolsGenerated } = options
  const { packageJson, jetwayJson } = project
  const { info } = running.details
  const env = environmentOf(jetwayJson)
  return defined({
    manifest_version: '0.3',
    name: bundleName(packageJson),
    display_name: info?.title ?? jetwayJson.title,
    version: packageJson.version,
    description: needed(packageJson.description, 'description', 'Forecasts and alerts'),
    long_description: jetwayJson.longDescription,
    author: needed(packageJson.author, 'author', 'Ann Example'),
    repository: packageJson.repository && { type: 'git', url: packageJson.repository.url },
    homepage: info?.websiteUrl ?? jetwayJson.website ?? packageJson.homepage,
    documentation: jetwayJson.documentation,
    support: jetwayJson.support,
    ...imageMembers(options.images),
    server: {
      type: 'node',
      entry_point: ENTRY_POINT,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${ENTRY_POINT}`, ...(jetwayJson.args ?? [])],
        ...(Object.keys(env).length > 0 && { env }),
      },
    },
    tools: running.offers.tools.map(({ name, description }) => defined({ name, description })),
    tools_generated: toolsGenerated ? true : undefined,
    prompts: promptsOf(running),
    keywords: packageJson.keywords.length > 0 ? packageJson.keywords : undefined,
    license: packageJson.licence,
    privacy_policies: jetwayJson.privacyPolicy === undefined ? undefined : [jetwayJson.privacyPolicy],
    compatibility: {
      ...(options.isNative && { platforms: [process.platform] }),
      runtimes: { node: packageJson.node ?? '>=20' },
    },
    user_config: Object.keys(env).length > 0 ? userConfigOf(jetwayJson) : undefined,
    _meta:
      packageJson.mcpName === undefined
        ? undefined
        : { 'io.modelcontextprotocol.registry': { name: packageJson.mcpName } },
  }) as Manifest
}

function needed<T>(value: T | undefined, name: string, example: string): T {
  if (value !== undefined) return value
  throw new CliError('failed', `package.json has no ${name}, which each bundle needs`, {
    hint: `Add it: npm pkg set ${name}="${example}"`,
  })
}

function imageMembers({ icon, screenshots }: Images): Readonly<Record<string, unknown>> {
  return {
    ...(icon !== undefined && { icon: icon.path, icons: [{ src: icon.path, size: icon.size }] }),
    ...(screenshots.length > 0 && { screenshots }),
  }
}

/**
 * The manifest requires a text for each prompt. Hosts show this text, but request the prompt's messages from
 * the server.
 */
function promptsOf({ offers: { prompts } }: RunningServer): readonly object[] | undefined {
  if (prompts.length === 0) return undefined
  return prompts.map(({ name, description, arguments: args }) =>
    defined({
      name,
      description,
      arguments: args?.map((each) => each.name),
      text: description ?? name,
    }),
  )
}

const defined = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
