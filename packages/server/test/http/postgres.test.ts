/** The HTTP suite on PostgreSQL. */
import { postgresEngine } from '../helpers/storage-postgres.ts'
import { describeHub } from './hub.suite.ts'

describeHub(postgresEngine)
