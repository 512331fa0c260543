import type { Tool } from '@jetway/core/protocol'
import type { JetwayJson } from '../../project/jetway-json.ts'
import type { PackageJson } from '../../project/package-json.ts'
import type { ImageSize } from '../../project/png.ts'

/** An image to which `jetway.json` refers. */
export interface Image {
  readonly path: string
  /** Undefined if the file is missing or not a PNG. */
  readonly size: ImageSize | undefined
}

/** The information that the directories' rules use. */
export interface Facts {
  readonly packageJson: PackageJson
  readonly jetwayJson: JetwayJson
  /** The display name. */
  readonly title: string | undefined
  readonly website: string | undefined
  /** The tools as the server sends them. A missing hint is not the same as `false`. */
  readonly tools: readonly Tool[]
  /** Whether the server has a tool with a view. */
  readonly hasView: boolean
  /** Whether users install the server as a bundle. Such a server may also have a URL. */
  readonly isInstalled: boolean
  /** The URL of a server that is served over HTTP: from the command line, or the first one in `jetway.json`. */
  readonly url: string | undefined
  readonly readme: string | undefined
  /** The manifest of the bundle, if the command line names one. */
  readonly manifest: Readonly<Record<string, unknown>> | undefined
  readonly icon: Image | undefined
  readonly screenshots: readonly Image[]
  /** The problems for which the registry would reject the server. */
  readonly registryProblems: readonly {
    readonly rule: string
    readonly text: string
    readonly advice: string
  }[]
}
