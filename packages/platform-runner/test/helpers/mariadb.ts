/**
 * A real MariaDB (or MySQL) for tests: the one at TEST_MYSQL_URL, else one that is started from the machine's programs in a
 * temporary folder, which is deleted with the test process.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  createServerFolder,
  removeServerFolder,
} from '../../../server/test/helpers/postgres/folder.ts'
import {
  serverUser,
  superviseProcess,
  tryCommand,
} from '../../../server/test/helpers/postgres/process.ts'
import { findFreePort } from '../../../server/test/helpers/process/free-port.ts'

export type MariadbServer = { url: string; remove: () => Promise<void> }

const SERVER = ['/usr/sbin/mariadbd', '/usr/sbin/mysqld', '/usr/local/bin/mariadbd'].find(
  existsSync,
)

/** Why the tests of MariaDB cannot run on this machine; false if they can. */
export const noMariadb =
  process.env['TEST_MYSQL_URL'] || SERVER
    ? false
    : 'there is no MariaDB on this machine, and TEST_MYSQL_URL names none'

const USER = 'recordhub'
const PASSWORD = 'pass-word'

export async function startMariadb(): Promise<MariadbServer> {
  const given = process.env['TEST_MYSQL_URL']
  if (given) return { url: given, remove: async () => undefined }
  const user = serverUser()
  const folder = await createServerFolder(user, { programs: false, onDisk: false })
  const data = join(folder, 'data')
  const installed = tryCommand(
    'mariadb-install-db',
    [
      '--no-defaults',
      `--datadir=${data}`,
      '--skip-test-db',
      '--auth-root-authentication-method=normal',
    ],
    user,
  )
  if (installed === null) throw new Error('mariadb-install-db failed')
  const port = await findFreePort()
  const started = superviseProcess(
    [
      ...[
        SERVER ?? '',
        '--no-defaults',
        `--datadir=${data}`,
        `--port=${port}`,
        // Servers that share a folder for temporary tables delete each other's files.
        `--tmpdir=${data}`,
        '--skip-name-resolve',
      ],
      ...['--bind-address=127.0.0.1', `--socket=${join(folder, 'socket')}`],
      ...[`--pid-file=${join(folder, 'pid')}`, '--innodb-flush-log-at-trx-commit=0'],
    ],
    { folder, user },
  )
  await Promise.race([
    started.untilOutput('ready for connections'),
    started.ended.then((how) => {
      throw new Error(`MariaDB ${how}: ${started.readOutput()}`)
    }),
  ])
  const grant = `CREATE USER ${USER}@'127.0.0.1' IDENTIFIED BY '${PASSWORD}'; GRANT ALL ON *.* TO ${USER}@'127.0.0.1'`
  if (
    tryCommand('mariadb', [`--socket=${join(folder, 'socket')}`, '-uroot', '-e', grant], user) ===
    null
  ) {
    throw new Error('The user of the tests could not be created')
  }
  started.setKeepAlive(false)
  return {
    url: `mysql://${USER}:${PASSWORD}@127.0.0.1:${port}`,
    async remove() {
      started.setKeepAlive(true)
      started.signal('SIGKILL')
      await started.ended
      removeServerFolder(folder)
    },
  }
}
