"""Tells the connector of Countersign which timeouts the role of this database has: what runs longer is ended by the database."""
from trytond.model import Model
from trytond.pool import Pool
from trytond.rpc import RPC
from trytond.transaction import Transaction

NAMES = ('statement_timeout', 'idle_in_transaction_session_timeout')


def register():
    Pool.register(Guard, module='countersign_guard', type_='model')


class Guard(Model):
    "Countersign Guard"
    __name__ = 'countersign.guard'

    @classmethod
    def __setup__(cls):
        super().__setup__()
        cls.__rpc__['timeouts'] = RPC()

    @classmethod
    def timeouts(cls):
        "Timeouts by name, in milliseconds; 0: none."
        cursor = Transaction().connection.cursor()
        cursor.execute('SELECT name, setting FROM pg_settings WHERE name IN %s', (NAMES,))
        return {name: int(setting) for name, setting in cursor.fetchall()}
