#!/usr/bin/env node
import { main } from '@jetway/cli'

await main()
