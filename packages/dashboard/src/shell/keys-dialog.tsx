import { Table } from '@mantine/core'
import { Dialog } from '../components/dialog.tsx'
import { Keys } from '../components/keys.tsx'

const KEYS: readonly [where: string, keys: readonly (readonly [keys: string[], what: string])[]][] =
  [
    [
      'Everywhere',
      [
        [['Ctrl K', '/'], 'Search or run a command'],
        [['?'], 'Show the keys'],
        [['Esc'], 'Close what is open'],
      ],
    ],
    [
      'Search or run a command',
      [
        [['↑', '↓'], 'Move to another result'],
        [['Enter'], 'Run or open the result'],
        [['Ctrl Enter'], 'Open the result in a new tab'],
      ],
    ],
    [
      'Tables',
      [
        [['J', 'K', '↑', '↓'], 'Move to the next or previous row, while the table has the focus'],
        [['Enter'], 'Open the row'],
      ],
    ],
    [
      'Inbox',
      [
        [['↑', '↓'], 'Move to another item'],
        [['Enter'], 'Move into the item'],
        [['E'], 'Acknowledge the item'],
      ],
    ],
    ['Records', [[['J', 'K', '↑', '↓'], 'Open the next or previous record, while one is open']]],
    ['Search', [[['/'], 'Move to the search field']]],
  ]

/** All keys of the dashboard. */
export function KeysDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog opened={isOpen} onClose={onClose} title="Keys" size={480}>
      {KEYS.map(([where, keys]) => (
        <Table key={where} mb="md" captionSide="top">
          <Table.Caption ta="left" mt={0} fw={600} c="var(--text)">
            {where}
          </Table.Caption>
          <Table.Tbody>
            {keys.map(([names, what]) => (
              <Table.Tr key={what}>
                <Table.Td w={160}>
                  <Keys names={names} />
                </Table.Td>
                <Table.Td>{what}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      ))}
    </Dialog>
  )
}
