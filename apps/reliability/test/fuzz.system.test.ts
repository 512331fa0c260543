import { describeFuzz } from './support/describe-fuzz.ts'

describeFuzz({ parsed: 20_000, lines: 2_000, requests: 500 })
