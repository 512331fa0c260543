// #region module
import { McpServer } from '@jetway/core'
import { type BeforeApplicationShutdown, Inject, Module } from '@nestjs/common'
import { createServer } from './server.ts'

@Module({
  // Add your own services to `inject`. The factory receives them as arguments, and its tools can call them.
  providers: [{ provide: McpServer, useFactory: createServer, inject: [] }],
  exports: [McpServer],
})
export class McpModule implements BeforeApplicationShutdown {
  readonly #server: McpServer

  constructor(@Inject(McpServer) server: McpServer) {
    this.#server = server
  }

  /** Streams end before Nest closes the HTTP server, which waits for them. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.#server.close({ deadline: 10_000 })
  }
}
// #endregion
