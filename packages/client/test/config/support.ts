import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import type { McpServer } from '@jetway/core'
import { StdioTransport } from '@jetway/stdio'
import type { ChildProcessLike, Spawn, SpawnOptions } from '../../src/stdio/options.ts'

/** One call of the host's `spawn`. */
export interface Spawned {
  readonly command: string
  readonly args: readonly string[]
  readonly options: SpawnOptions
}

/** A `spawn` that runs a server in this process, and records its calls. */
export function spawning(server: McpServer): { readonly spawn: Spawn; readonly spawned: Spawned[] } {
  const spawned: Spawned[] = []
  const spawn: Spawn = (command, args, options) => {
    spawned.push({ command, args, options })
    const child = new FakeChild()
    server.connect(new StdioTransport({ input: child.stdin, output: child.stdout }))
    return child
  }
  return { spawn, spawned }
}

class FakeChild extends EventEmitter implements ChildProcessLike {
  readonly stdin: PassThrough = new PassThrough()
  readonly stdout: PassThrough = new PassThrough()
  readonly stderr = null
  exitCode: number | null = null
  readonly signalCode = null

  constructor() {
    super()
    queueMicrotask(() => this.emit('spawn'))
    this.stdin.on('finish', () => this.kill())
  }

  kill(): boolean {
    if (this.exitCode !== null) return false
    this.exitCode = 0
    this.stdout.end()
    this.emit('exit', 0, null)
    return true
  }
}
