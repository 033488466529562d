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
      'Inbox',
      [
        [['↑', '↓'], 'Move to another item'],
        [['Enter'], 'Move into the item'],
        [['E'], 'Acknowledge the item'],
      ],
    ],
    ['Records', [[['J', 'K', '↑', '↓'], 'Open the next or previous record, while one is open']]],
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
