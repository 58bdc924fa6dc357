import { type CommandForm, MappingFault } from './definition.js';

/** Converts a list of new records to the commands that create them. */
export function asCommands(items: unknown, form: CommandForm): unknown[] {
  if (!Array.isArray(items)) throw new MappingFault('is not a list');
  if (form === 'odoo_one2many') return items.map((item) => [0, 0, item]);
  return items.length === 0 ? [] : [['create', items]];
}

/** Extracts the records from commands that create them; other commands are a fault. */
export function outOfCommands(commands: unknown, form: CommandForm): unknown[] {
  if (!Array.isArray(commands)) throw new MappingFault('is not a list of commands');
  return commands.flatMap((command) => {
    if (!Array.isArray(command)) throw new MappingFault('is not a list of commands');
    if (form === 'odoo_one2many') {
      if (command.length !== 3 || command[0] !== 0) throw new MappingFault('has a command that creates nothing');
      return [command[2]];
    }
    if (command.length !== 2 || command[0] !== 'create' || !Array.isArray(command[1]))
      throw new MappingFault('has a command that creates nothing');
    return command[1];
  });
}
