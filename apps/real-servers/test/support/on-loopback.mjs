/** This module is preloaded into a server. It makes the server listen only on loopback, and prints the port. */
import { Server } from 'node:net'

// oxlint-disable-next-line typescript/unbound-method -- called with its server below
const { listen } = Server.prototype
Server.prototype.listen = function (port, ...rest) {
  this.once('listening', () => console.error(`port ${this.address().port}`))
  return listen.call(
    this,
    Number(port),
    '127.0.0.1',
    ...rest.filter((argument) => typeof argument === 'function'),
  )
}
