import { getUser, listUsers } from '@weir/plugin-identity/contract';
import { endpointCommand } from '../../command/endpoint-command.ts';

export const UsersList = endpointCommand(listUsers, { columns: ['sub', 'name', 'email', 'roles', 'last_seen'] });
export const UsersGet = endpointCommand(getUser);
